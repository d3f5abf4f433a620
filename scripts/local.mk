EXTRA_DIST += \
	scripts/check \
	scripts/coverage \
	scripts/format \
	scripts/fuzz \
	scripts/packages.sh \
	scripts/quickstart \
	scripts/schema-to-c \
	scripts/static-checks \
	scripts/static/clang-tidy \
	scripts/static/cppcheck \
	scripts/static/gcc \
	scripts/tidy
