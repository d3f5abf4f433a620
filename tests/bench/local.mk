# make bench: what the daemon does in a second, beside what this machine and the bare libraries do.  Not a part of
# make check: figures depend on the machine and on who else uses it.  BENCH_FLAGS=--quick takes a minute.

bench_programs = \
	tests/bench/bare_http \
	tests/bench/bare_parent \
	tests/bench/disk \
	tests/bench/first \
	tests/bench/load \
	tests/bench/spawn
EXTRA_PROGRAMS = $(bench_programs)
CLEANFILES += $(bench_programs) bench-results.json

bench_words = tests/bench/bench.c tests/bench/bench.h
bench_rows = tests/bench/rows.c tests/bench/rows.h

tests_bench_bare_http_SOURCES = tests/bench/bare_http.c $(bench_words) $(bench_rows)
tests_bench_bare_http_LDADD = $(words) $(MICROHTTPD_LIBS) $(SQLITE_LIBS) $(heavy_LIBS)
tests_bench_bare_parent_SOURCES = tests/bench/bare_parent.c
tests_bench_disk_SOURCES = tests/bench/disk.c $(bench_words) $(bench_rows)
tests_bench_disk_LDADD = $(words) $(SQLITE_LIBS) $(heavy_LIBS)
tests_bench_first_SOURCES = tests/bench/first.c
# Neither hardened nor position independent: its start is what is measured, beside its own start.
tests_bench_first_CFLAGS = -std=gnu17 $(WARNING_CFLAGS)
tests_bench_first_LDFLAGS = -static
tests_bench_load_SOURCES = tests/bench/load.c $(bench_words)
tests_bench_load_LDADD = $(words) $(heavy_LIBS)
tests_bench_spawn_SOURCES = tests/bench/spawn.c $(bench_words)
tests_bench_spawn_LDADD = $(words) $(heavy_LIBS)

EXTRA_DIST += docs/benchmarks.md \
	tests/bench/daemon.py \
	tests/bench/jobs.py \
	tests/bench/ledger.py \
	tests/bench/load_together.py \
	tests/bench/logs.sh \
	tests/bench/report.py \
	tests/bench/run \
	tests/bench/staging.py \
	tests/bench/submits.py \
	tests/bench/supervision.py \
	tests/bench/training.py

bench: $(bench_programs) tests/flow/make_ledger railheadd railhead-worker railhead-bill railhead-archive railhead-stage
	RAILHEAD_BUILD=$(abs_top_builddir) $(srcdir)/tests/bench/run $(BENCH_FLAGS)

.PHONY: bench
