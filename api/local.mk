noinst_LIBRARIES += api/libapi.a
api_libapi_a_SOURCES = \
	api/auth.c api/auth.h \
	api/body.c api/body.h \
	api/cursor.c api/cursor.h \
	api/exchange.c api/exchange.h \
	api/handle_admin.c \
	api/guard.c api/guard.h \
	api/handle_bill.c \
	api/handle_compare.c \
	api/handle_budgets.c \
	api/handle_diagnosis.c \
	api/handle_health.c \
	api/handle_history.c \
	api/handle_instances.c \
	api/handle_jobs.c \
	api/handle_logs.c \
	api/handle_prices.c \
	api/handle_sources.c \
	api/history.c api/history.h \
	api/listen.c api/listen.h \
	api/listener.c api/listener.h \
	api/log_follow.c api/log_follow.h \
	api/log_source.c api/log_source.h \
	api/log_stream.c api/log_stream.h \
	api/reply.c api/reply.h \
	api/request.c api/request.h \
	api/routes.c api/routes.h \
	api/server.c api/server.h \
	api/upload.c api/upload.h
api_libapi_a_CFLAGS = $(AM_CFLAGS) $(MICROHTTPD_CFLAGS)

dist_pkgdata_DATA += api/openapi.yaml
