noinst_LIBRARIES += schedulers/libschedulers.a
schedulers_libschedulers_a_SOURCES = \
	schedulers/scheduler.h
