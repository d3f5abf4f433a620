noinst_LIBRARIES += api/libapi.a
api_libapi_a_SOURCES =
api_libapi_a_CFLAGS = $(AM_CFLAGS) $(MICROHTTPD_CFLAGS)
