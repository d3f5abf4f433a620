# make drill: the daemon is killed a thousand times and workers two hundred, in some ten minutes.  make check does a few
# kills of the same kind.  DRILL_KILLS, DRILL_WORKER_KILLS and DRILL_SEED are for the environment; docs/drills.md.

# A library that is loaded before those of a program, and never a part of one.
check_PROGRAMS += tests/drill/fault.so
tests_drill_fault_so_SOURCES = tests/drill/fault.c
tests_drill_fault_so_CPPFLAGS = -include config.h
tests_drill_fault_so_CFLAGS = -std=gnu17 $(WARNING_CFLAGS) -fPIC
tests_drill_fault_so_LDFLAGS = -shared

EXTRA_DIST += docs/drills.md \
	tests/drill/books.py \
	tests/drill/drill.py \
	tests/drill/load.py

drill: all tests/drill/fault.so
	$(AM_TESTS_ENVIRONMENT) DRILL_KILLS=$${DRILL_KILLS:-1000} DRILL_WORKER_KILLS=$${DRILL_WORKER_KILLS:-200} \
		$(BASH) $(srcdir)/tests/drill/drill.sh

.PHONY: drill
