# The words.  A program takes from the library only the objects that it uses, so what only the daemon needs (archives,
# digests, HTTP, the loop) is not in railhead-worker.

noinst_LIBRARIES += src/libwords.a
src_libwords_a_SOURCES = \
	src/base.c src/base.h \
	src/err.c src/err.h
src_libwords_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS) $(YAML_CFLAGS) $(CURL_CFLAGS) \
	$(CRYPTO_CFLAGS) $(ARCHIVE_CFLAGS) $(SYSTEMD_CFLAGS) $(PCRE2_CFLAGS)

light_LIBS = $(CJSON_LIBS) $(PCRE2_LIBS)
heavy_LIBS = $(light_LIBS) $(YAML_LIBS) $(CURL_LIBS) $(CRYPTO_LIBS) $(ARCHIVE_LIBS) $(SYSTEMD_LIBS)
