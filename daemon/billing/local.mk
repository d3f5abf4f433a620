# railhead-bill: answers questions to the ledger beside the daemon.

noinst_LIBRARIES += daemon/billing/libbilling.a
daemon_billing_libbilling_a_SOURCES = \
	daemon/billing/billing.h \
	daemon/billing/backup.c \
	daemon/billing/diagnose.c \
	daemon/billing/head.c \
	daemon/billing/orphans.c daemon/billing/orphans.h \
	daemon/billing/receipt.c daemon/billing/receipt.h \
	daemon/billing/receipt_words.c \
	daemon/billing/compare.c \
	daemon/billing/compare_runs.c daemon/billing/compare_runs.h \
	daemon/billing/compare_series.c daemon/billing/compare_series.h \
	daemon/billing/key_table.c daemon/billing/key_table.h \
	daemon/billing/usage.c daemon/billing/usage.h \
	daemon/billing/usage_ask.c \
	daemon/billing/usage_book.c \
	daemon/billing/usage_csv.c \
	daemon/billing/usage_cur.c \
	daemon/billing/usage_focus.c \
	daemon/billing/usage_html.c daemon/billing/usage_html.h \
	daemon/billing/usage_html_chart.c \
	daemon/billing/usage_html_figure.c \
	daemon/billing/usage_html_style.c \
	daemon/billing/usage_html_table.c \
	daemon/billing/usage_idle.c daemon/billing/usage_idle.h \
	daemon/billing/usage_intervals.c \
	daemon/billing/usage_json.c \
	daemon/billing/usage_line.c daemon/billing/usage_line.h \
	daemon/billing/usage_lines.c \
	daemon/billing/usage_parts.c \
	daemon/billing/usage_spans.c \
	daemon/billing/usage_sums.c daemon/billing/usage_sums.h \
	daemon/billing/verify.c daemon/billing/verify.h \
	daemon/billing/verify_book.c daemon/billing/verify_book.h \
	daemon/billing/verify_figures.c \
	daemon/billing/verify_prices.c daemon/billing/verify_prices.h \
	daemon/billing/verify_workers.c daemon/billing/verify_workers.h

pkglibexec_PROGRAMS += railhead-bill
railhead_bill_SOURCES = daemon/billing/main.c
railhead_bill_LDADD = daemon/billing/libbilling.a daemon/libdaemon.a schedulers/libschedulers.a $(words) $(SQLITE_LIBS) $(heavy_LIBS)
