# make check: the unit program and every shell test, each of which says "ok NAME" or "not ok NAME".
# Most of them wait for most of their time, so more can run at a time than there are processors.

unit_tests =
lint_tests = \
	tests/lint/format.sh \
	tests/lint/header-guards.sh \
	tests/lint/layers.sh \
	tests/lint/listed.sh \
	tests/lint/machine-paths.sh \
	tests/lint/man-daemon.sh \
	tests/lint/man-members.sh \
	tests/lint/man-verbs.sh \
	tests/lint/mandoc.sh \
	tests/lint/one-now.sh \
	tests/lint/openapi-routes.sh \
	tests/lint/schema.sh \
	tests/lint/shell.sh \
	tests/lint/sizes.sh \
	tests/lint/spelling.sh \
	tests/lint/sql-only-in-store.sh \
	tests/lint/unit-file.sh
flow_tests = \
	tests/flow/backup.sh \
	tests/flow/compare.sh \
	tests/flow/doctor.sh \
	tests/flow/dry_run.sh \
	tests/flow/emulated.sh \
	tests/flow/example_by_hand.sh \
	tests/flow/history.sh \
	tests/flow/http.sh \
	tests/flow/interrupt.sh \
	tests/flow/isolation.sh \
	tests/flow/jobctl.sh \
	tests/flow/jobctl_compare.sh \
	tests/flow/launch_matrix.sh \
	tests/flow/logs_big.sh \
	tests/flow/lists.sh \
	tests/flow/many_instances.sh \
	tests/flow/prices.sh \
	tests/flow/quickstart.sh \
	tests/flow/readme.sh \
	tests/flow/staging_progress.sh \
	tests/flow/submit_data.sh \
	tests/flow/s3_servers.sh \
	tests/flow/s3_verbs.sh \
	tests/flow/stage_in.sh \
	tests/flow/stage_out.sh \
	tests/flow/stage_pipe.sh \
	tests/flow/stage_s3.sh \
	tests/flow/torchrun_environment.sh \
	tests/flow/torchrun_wrapper.sh \
	tests/flow/usage_focus.sh \
	tests/flow/verify.sh \
	tests/flow/warm_pool.sh \
	tests/flow/worker_failure.sh \
	tests/flow/worker_faults.sh \
	tests/flow/worker_isolation.sh \
	tests/flow/worker_launch.sh \
	tests/flow/worker_memory.sh \
	tests/flow/worker_output.sh \
	tests/flow/worker_rsh.sh \
	tests/flow/worker_servers.sh \
	tests/flow/worker_staging.sh \
	tests/flow/worker_stop.sh \
	tests/flow/worker_torch.sh \
	tests/flow/worker_utilization.sh
# Those of half a minute and more.  They come first, so that none is left alone at the end of a parallel run.
long_tests = \
	tests/flow/worker_stop_launchers.sh \
	tests/flow/s3_faults.sh \
	tests/flow/attempts.sh \
	tests/flow/stage_checkpoints.sh \
	tests/flow/worker_mpi_ends.sh \
	tests/faults/staging.sh \
	tests/flow/budgets.sh \
	tests/flow/estimates.sh \
	tests/drill/drill.sh \
	tests/faults/orphans.sh
# Foreign programs take most of their time, and sanitizers see nothing of those: check-programs leaves them out.
heavy_tests = \
	tests/flow/examples.sh \
	tests/faults/ports_torch.sh \
	tests/flow/launch_matrix_torchrun.sh \
	tests/flow/usage_adds_up.sh
contract_tests = \
	tests/contract/schedulers.sh
fault_tests = \
	tests/drill/points.sh \
	tests/faults/database.sh \
	tests/faults/disk_full.sh \
	tests/faults/hostile_clients.sh \
	tests/faults/nursery.sh \
	tests/faults/ports.sh \
	tests/faults/restart.sh
test_helpers = \
	tests/data/config.txt \
	tests/data/probe/probe.py \
	tests/data/profiles.txt \
	tests/data/roberta-sst2.csv \
	tests/data/specs/invalid.txt \
	tests/data/specs/valid.txt \
	tests/faults/hostile_clients.py \
	tests/faults/slow_nursery.py \
	tests/flow/make_jobs.c \
	tests/flow/make_ledger.c \
	tests/flow/make_plan.c \
	tests/flow/usage_adds_up.py \
	tests/flow/usage_focus.py \
	tests/lib/count \
	tests/lib/daemon.sh \
	tests/lib/fresh-root.sh \
	tests/lib/jobs.sh \
	tests/lib/ports.sh \
	tests/lib/s3.sh \
	tests/lib/s3_server.py \
	tests/lib/lint.sh \
	tests/lib/stage.sh \
	tests/lib/test.sh \
	tests/lib/tamper.py \
	tests/lib/torch.sh \
	tests/lib/worker.sh

if HAVE_CHECK
unit_tests += tests/unit/suites.sh
check_PROGRAMS += tests/unit/unit
tests_unit_unit_SOURCES = \
	tests/unit/cases.c tests/unit/cases.h \
	tests/unit/life.c tests/unit/life.h \
	tests/unit/main.c \
	tests/unit/plans.c tests/unit/plans.h \
	tests/unit/rank_logs.c tests/unit/rank_logs.h \
	tests/unit/suites.h \
	tests/unit/test_archive.c \
	tests/unit/test_bill.c \
	tests/unit/test_bill_table.c \
	tests/unit/test_budget.c \
	tests/unit/test_accelerators.c \
	tests/unit/test_cgroup.c \
	tests/unit/test_cgroup_folder.c \
	tests/unit/test_channel.c \
	tests/unit/test_claim.c \
	tests/unit/test_cli_figure.c \
	tests/unit/test_cli_outlook.c \
	tests/unit/test_clock.c \
	tests/unit/test_compare.c \
	tests/unit/test_compare_import.c \
	tests/unit/test_compare_series.c \
	tests/unit/test_config.c \
	tests/unit/test_csv.c \
	tests/unit/test_csv_read.c \
	tests/unit/test_cursor.c \
	tests/unit/test_digest.c \
	tests/unit/test_ending.c \
	tests/unit/test_err.c \
	tests/unit/test_estimate.c \
	tests/unit/test_failure.c \
	tests/unit/test_failure_reason.c \
	tests/unit/test_figure.c \
	tests/unit/test_files.c \
	tests/unit/test_haul.c \
	tests/unit/test_guard.c \
	tests/unit/test_history.c \
	tests/unit/test_job.c \
	tests/unit/test_job_id.c \
	tests/unit/test_job_machine.c \
	tests/unit/test_job_spec.c \
	tests/unit/test_job_state.c \
	tests/unit/test_jobs_plan.c \
	tests/unit/test_journal.c \
	tests/unit/test_json.c \
	tests/unit/test_json_print.c \
	tests/unit/test_launch_env.c \
	tests/unit/test_launch_plan.c \
	tests/unit/test_ledger_row.c \
	tests/unit/test_local_cgroup.c \
	tests/unit/test_local_journal.c \
	tests/unit/test_log.c \
	tests/unit/test_log_cut.c \
	tests/unit/test_log_frames.c \
	tests/unit/test_log_stream.c \
	tests/unit/test_loop.c \
	tests/unit/test_meter.c \
	tests/unit/test_metrics_history.c \
	tests/unit/test_money.c \
	tests/unit/test_mpi_ends.c \
	tests/unit/test_mpi_own.c \
	tests/unit/test_offers.c \
	tests/unit/test_outlook.c \
	tests/unit/test_output.c \
	tests/unit/test_peers.c \
	tests/unit/test_plan_words.c \
	tests/unit/test_ports.c \
	tests/unit/test_price_book.c \
	tests/unit/test_problems.c \
	tests/unit/test_process.c \
	tests/unit/test_profile.c \
	tests/unit/test_progress.c \
	tests/unit/test_python_text.c \
	tests/unit/test_queue.c \
	tests/unit/test_rank_log.c \
	tests/unit/test_regex.c \
	tests/unit/test_receipt.c \
	tests/unit/test_report.c \
	tests/unit/test_request.c \
	tests/unit/test_reservations.c \
	tests/unit/test_reserve.c \
	tests/unit/test_routes.c \
	tests/unit/test_rsh.c \
	tests/unit/test_series.c \
	tests/unit/test_shell_words.c \
	tests/unit/test_s3.c \
	tests/unit/test_sigv4.c \
	tests/unit/test_sample_log.c \
	tests/unit/test_stats.c \
	tests/unit/test_storage.c \
	tests/unit/test_spec_file.c \
	tests/unit/test_stage_manifest.c \
	tests/unit/test_stage_objects.c \
	tests/unit/test_stage_order.c \
	tests/unit/test_store.c \
	tests/unit/test_store_backup.c \
	tests/unit/test_store_list.c \
	tests/unit/test_store_rows.c \
	tests/unit/test_store_wal.c \
	tests/unit/test_table.c \
	tests/unit/test_text.c \
	tests/unit/test_usage.c \
	tests/unit/test_usage_ask.c \
	tests/unit/test_usage_html.c \
	tests/unit/test_usage_idle.c \
	tests/unit/test_usage_report.c \
	tests/unit/test_verify_book.c \
	tests/unit/usage_ledger.c tests/unit/usage_ledger.h \
	tests/unit/test_worker_plan.c \
	tests/unit/test_yaml.c \
	tests/unit/test_zone.c
# A suite is named in suites.h alone, so its function has no prototype of its own.
tests_unit_unit_CFLAGS = $(AM_CFLAGS) -Wno-missing-prototypes -Wno-missing-declarations $(CHECK_CFLAGS)
tests_unit_unit_LDADD = src/cli/libcli.a src/worker/libworker.a src/stage/libstage.a api/libapi.a daemon/billing/libbilling.a daemon/libdaemon.a schedulers/libschedulers.a $(words) \
	$(CHECK_LIBS) $(MICROHTTPD_LIBS) $(SQLITE_LIBS) $(heavy_LIBS)
endif

# Plans as the daemon makes them, for tests of the worker alone.
check_PROGRAMS += tests/flow/make_plan
tests_flow_make_plan_SOURCES = tests/flow/make_plan.c
tests_flow_make_plan_LDADD = $(words) $(heavy_LIBS)

# Histories of any size, for lists.
check_PROGRAMS += tests/flow/make_jobs
tests_flow_make_jobs_SOURCES = tests/flow/make_jobs.c tests/lib/made.c tests/lib/made.h
tests_flow_make_jobs_LDADD = daemon/libdaemon.a schedulers/libschedulers.a $(words) $(SQLITE_LIBS) $(heavy_LIBS)

# Ledgers of any size, for reports.
check_PROGRAMS += tests/flow/make_ledger
tests_flow_make_ledger_SOURCES = tests/flow/make_ledger.c tests/lib/made.c tests/lib/made.h
tests_flow_make_ledger_LDADD = daemon/libdaemon.a schedulers/libschedulers.a $(words) $(SQLITE_LIBS) $(heavy_LIBS)

# The verbs of S3 from a shell.
check_PROGRAMS += tests/flow/s3_verbs
tests_flow_s3_verbs_SOURCES = tests/flow/s3_verbs.c
tests_flow_s3_verbs_LDADD = $(words) $(heavy_LIBS)

check_PROGRAMS += tests/contract/contract
tests_contract_contract_SOURCES = \
	tests/contract/contract.c \
	tests/contract/world.c tests/contract/world.h
tests_contract_contract_LDADD = schedulers/libschedulers.a $(words) $(heavy_LIBS)

program_tests = $(unit_tests) $(long_tests) $(flow_tests) $(contract_tests) $(fault_tests)
TESTS = $(heavy_tests) $(program_tests) $(lint_tests)
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(BASH)
AM_TESTS_ENVIRONMENT = RAILHEAD_SOURCE=$(abs_top_srcdir); RAILHEAD_BUILD=$(abs_top_builddir); \
	export RAILHEAD_SOURCE RAILHEAD_BUILD;
EXTRA_DIST += tests/unit/suites.sh $(heavy_tests) $(long_tests) $(flow_tests) $(contract_tests) $(fault_tests) $(lint_tests) $(test_helpers)

# The programs that make check needs, built and not run.
test-programs: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) $(bench_programs)

# All but the lints, which read the source and not the build, and but the heavy ones.
check-programs:
	$(MAKE) check TESTS="$(program_tests)"

# The unit suites in one process; less that of processes, for valgrind 3.19 knows no pidfd.
check-valgrind: test-programs
	$(AM_TESTS_ENVIRONMENT) CK_FORK=no valgrind -q --error-exitcode=99 --leak-check=full \
		--show-leak-kinds=definite tests/unit/unit \
		$$($(SED) -n 's/^SUITE(\(.*\))/\1/p' $(srcdir)/tests/unit/suites.h | grep -vx process)

.PHONY: test-programs check-programs check-valgrind
