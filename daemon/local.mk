# The decisions, and the program around them.  The schema is compiled in.

schema_steps = \
	daemon/schema/0001-jobs.sql

noinst_LIBRARIES += daemon/libdaemon.a
daemon_libdaemon_a_SOURCES = \
	daemon/backup.h \
	daemon/bill.c daemon/bill.h \
	daemon/bill_run.c daemon/bill_run.h \
	daemon/compare.c daemon/compare.h \
	daemon/compare_checks.c \
	daemon/compare_figures.c \
	daemon/compare_import.c \
	daemon/compare_json.c \
	daemon/compare_verdict.c \
	daemon/budget.c daemon/budget.h \
	daemon/budget_count.c daemon/budget_count.h \
	daemon/config.c daemon/config.h daemon/config_private.h \
	daemon/config_pools.c \
	daemon/config_s3.c \
	daemon/estimate.c daemon/estimate.h \
	daemon/failure_reason.c daemon/failure_reason.h \
	daemon/figure.c daemon/figure.h \
	daemon/haul.c daemon/haul.h \
	daemon/job.c daemon/job.h \
	daemon/job_event.c daemon/job_event.h \
	daemon/job_filter.h \
	daemon/job_machine.c \
	daemon/jobs.c daemon/jobs.h \
	daemon/jobs_budget.c daemon/jobs_budget.h \
	daemon/jobs_budget_admit.c \
	daemon/jobs_budget_look.c \
	daemon/jobs_budget_rules.c \
	daemon/jobs_budget_state.c \
	daemon/jobs_compare.c \
	daemon/jobs_deadlines.c \
	daemon/jobs_export.c \
	daemon/jobs_facts.c \
	daemon/jobs_history.c daemon/jobs_history.h \
	daemon/jobs_launch.c \
	daemon/jobs_list.c \
	daemon/jobs_live.c \
	daemon/jobs_logs.c \
	daemon/jobs_outlook.c \
	daemon/jobs_place.c \
	daemon/jobs_plan.c \
	daemon/jobs_prices.c \
	daemon/jobs_private.h \
	daemon/jobs_read.c \
	daemon/jobs_restart.c \
	daemon/jobs_room.c \
	daemon/jobs_round.c \
	daemon/jobs_spend.c \
	daemon/jobs_step.c \
	daemon/jobs_stop.c \
	daemon/jobs_submit.c \
	daemon/jobs_warm.c \
	daemon/jobs_submit_data.c \
	daemon/ledger_row.c daemon/ledger_row.h \
	daemon/meter.c daemon/meter.h \
	daemon/offers.c daemon/offers.h \
	daemon/outlook.c daemon/outlook.h \
	daemon/ports.c daemon/ports.h \
	daemon/price_book.c daemon/price_book.h \
	daemon/queue.c daemon/queue.h \
	daemon/report.c daemon/report.h \
	daemon/reservations.c daemon/reservations.h \
	daemon/reserve.c daemon/reserve.h \
	daemon/restore.c \
	daemon/schema.h \
	daemon/store.c daemon/store.h \
	daemon/store_audit.c daemon/store_audit.h \
	daemon/store_backup.c daemon/store_backup.h \
	daemon/store_block.c daemon/store_block.h \
	daemon/store_budget.c daemon/store_budget.h \
	daemon/store_chain.c daemon/store_chain.h \
	daemon/store_charges.c \
	daemon/store_damage.c \
	daemon/store_event.c \
	daemon/store_ids.c \
	daemon/store_job.c \
	daemon/store_key.c \
	daemon/store_ledger.c \
	daemon/store_list.c daemon/store_list.h \
	daemon/store_metric.c \
	daemon/store_price_book.c daemon/store_price_book.h \
	daemon/store_reservation.c daemon/store_reservation.h \
	daemon/store_restore.c \
	daemon/store_room.c \
	daemon/store_private.h \
	daemon/store_tag.c daemon/store_tag.h \
	daemon/store_wal.c \
	daemon/store_wal_check.c
nodist_daemon_libdaemon_a_SOURCES = daemon/schema.c
daemon_libdaemon_a_CFLAGS = $(AM_CFLAGS) $(SQLITE_CFLAGS)

EXTRA_DIST += $(schema_steps)
CLEANFILES += daemon/schema.c
daemon/schema.c: $(schema_steps) scripts/schema-to-c daemon/local.mk
	$(AM_V_GEN)$(MKDIR_P) daemon && cd $(srcdir) && \
	scripts/schema-to-c $(schema_steps) >$(abs_builddir)/$@.new && mv $(abs_builddir)/$@.new $(abs_builddir)/$@

sbin_PROGRAMS += railheadd
railheadd_SOURCES = daemon/main.c
railheadd_LDADD = api/libapi.a daemon/libdaemon.a schedulers/libschedulers.a $(words) \
	$(MICROHTTPD_LIBS) $(SQLITE_LIBS) $(heavy_LIBS)
