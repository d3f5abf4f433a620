noinst_LIBRARIES += src/cli/libcli.a
src_cli_libcli_a_SOURCES = \
	src/cli/admin.h \
	src/cli/admin_backup.c \
	src/cli/admin_price.c \
	src/cli/bill.h \
	src/cli/bill_table.c \
	src/cli/bill_receipt.c \
	src/cli/bill_usage.c \
	src/cli/bill_verify.c \
	src/cli/budget.h \
	src/cli/budget_set.c \
	src/cli/budget_show.c \
	src/cli/claim.c src/cli/claim.h \
	src/cli/compare.h \
	src/cli/compare_chart.c \
	src/cli/compare_claim.c \
	src/cli/compare_print.c \
	src/cli/compare_table.c \
	src/cli/doctor.h \
	src/cli/doctor_daemon.c \
	src/cli/doctor_host.c \
	src/cli/doctor_jobs.c \
	src/cli/doctor_limits.c \
	src/cli/doctor_python.c \
	src/cli/figure.c src/cli/figure.h \
	src/cli/follow.c src/cli/follow.h \
	src/cli/input.c src/cli/input.h \
	src/cli/log_frames.c src/cli/log_frames.h \
	src/cli/options.c src/cli/options.h \
	src/cli/outlook.c src/cli/outlook.h \
	src/cli/plan.c src/cli/plan.h \
	src/cli/print.c src/cli/print.h \
	src/cli/progress.c src/cli/progress.h \
	src/cli/remote.c src/cli/remote.h \
	src/cli/series.c src/cli/series.h \
	src/cli/spec_file.c src/cli/spec_file.h \
	src/cli/spec_send.c src/cli/spec_send.h \
	src/cli/table.c src/cli/table.h \
	src/cli/verb_admin.c \
	src/cli/verb_benchmark.c \
	src/cli/verb_bill.c \
	src/cli/verb_compare.c \
	src/cli/verb_budget.c \
	src/cli/verb_doctor.c \
	src/cli/verb_estimate.c \
	src/cli/verb_instances.c \
	src/cli/verb_logs.c \
	src/cli/verb_metrics.c \
	src/cli/verb_ls.c \
	src/cli/verb_show.c \
	src/cli/verb_stop.c \
	src/cli/verb_submit.c \
	src/cli/verb_wait.c \
	src/cli/verbs.c src/cli/verbs.h

bin_PROGRAMS += jobctl
jobctl_SOURCES = src/cli/main.c
jobctl_LDADD = src/cli/libcli.a $(words) $(heavy_LIBS)
