# railhead-worker starts once an instance of every job, so it links no more than it must.

noinst_LIBRARIES += src/worker/libworker.a
src_worker_libworker_a_SOURCES = \
	src/worker/accelerators.c src/worker/accelerators.h \
	src/worker/cgroup.c src/worker/cgroup.h \
	src/worker/complain.c src/worker/complain.h \
	src/worker/control.c src/worker/control.h \
	src/worker/descendants.c src/worker/descendants.h \
	src/worker/ending.c src/worker/ending.h \
	src/worker/failure.c src/worker/failure.h \
	src/worker/follow.c \
	src/worker/heartbeat.c \
	src/worker/helper.c src/worker/helper.h \
	src/worker/isolate.c src/worker/isolate.h \
	src/worker/life.c \
	src/worker/log_writer.c src/worker/log_writer.h \
	src/worker/journal_writer.c src/worker/journal_writer.h \
	src/worker/metrics.c src/worker/metrics.h \
	src/worker/metrics_history.c src/worker/metrics_history.h \
	src/worker/mpi_ends.c src/worker/mpi_ends.h \
	src/worker/mpi_own.c src/worker/mpi_own.h \
	src/worker/nursery.c src/worker/nursery.h \
	src/worker/output.c src/worker/output.h \
	src/worker/peers.c src/worker/peers.h \
	src/worker/prepare.c \
	src/worker/ranks.c \
	src/worker/sample_log.c src/worker/sample_log.h \
	src/worker/sampler.c src/worker/sampler.h \
	src/worker/remote.c src/worker/remote.h \
	src/worker/spawn.c src/worker/spawn.h \
	src/worker/staging.c src/worker/staging.h \
	src/worker/stop.c \
	src/worker/tool.c src/worker/tool.h \
	src/worker/usage.c src/worker/usage.h \
	src/worker/users.c \
	src/worker/watch.c \
	src/worker/wind_down.c \
	src/worker/worker.h

pkglibexec_PROGRAMS += railhead-worker
railhead_worker_SOURCES = src/worker/main.c
railhead_worker_LDADD = src/worker/libworker.a $(words) $(CJSON_LIBS) $(WORKER_PCRE2_LIBS)
