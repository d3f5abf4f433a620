EXTRA_DIST += \
	scripts/check \
	scripts/format \
	scripts/fuzz \
	scripts/packages.sh \
	scripts/quickstart \
	scripts/schema-to-c \
	scripts/tidy
