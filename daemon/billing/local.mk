# railhead-bill: answers questions to the ledger beside the daemon.

pkglibexec_PROGRAMS += railhead-bill
railhead_bill_SOURCES = \
	daemon/billing/billing.h \
	daemon/billing/main.c \
	daemon/billing/verify.c
railhead_bill_LDADD = daemon/libdaemon.a schedulers/libschedulers.a $(words) $(SQLITE_LIBS) $(heavy_LIBS)
