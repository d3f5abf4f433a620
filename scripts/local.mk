EXTRA_DIST += \
	scripts/check \
	scripts/format \
	scripts/packages.sh \
	scripts/schema-to-c \
	scripts/tidy
