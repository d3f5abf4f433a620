noinst_LIBRARIES += schedulers/libschedulers.a
schedulers_libschedulers_a_SOURCES = \
	schedulers/fake.c \
	schedulers/registry.c \
	schedulers/scheduler.h
