# The decisions, and the program around them.  The schema is compiled in.

schema_steps =

noinst_LIBRARIES += daemon/libdaemon.a
daemon_libdaemon_a_SOURCES = \
	daemon/config.c daemon/config.h \
	daemon/jobs.h \
	daemon/schema.h
nodist_daemon_libdaemon_a_SOURCES = daemon/schema.c
daemon_libdaemon_a_CFLAGS = $(AM_CFLAGS) $(SQLITE_CFLAGS)

EXTRA_DIST += $(schema_steps)
CLEANFILES += daemon/schema.c
daemon/schema.c: $(schema_steps) scripts/schema-to-c
	$(AM_V_GEN)$(MKDIR_P) daemon && cd $(srcdir) && \
	scripts/schema-to-c $(schema_steps) >$(abs_builddir)/$@.new && mv $(abs_builddir)/$@.new $(abs_builddir)/$@

