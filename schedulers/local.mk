noinst_LIBRARIES += schedulers/libschedulers.a
schedulers_libschedulers_a_SOURCES = \
	schedulers/fake.c \
	schedulers/local.c \
	schedulers/local_cgroup.c schedulers/local_cgroup.h \
	schedulers/local_journal.c schedulers/local_journal.h \
	schedulers/local_nursery.c schedulers/local_nursery.h \
	schedulers/local_place.c schedulers/local_place.h \
	schedulers/local_sweep.c schedulers/local_sweep.h \
	schedulers/registry.c \
	schedulers/scheduler.h
