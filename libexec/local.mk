dist_pkglibexec_SCRIPTS += \
	libexec/railhead-torchrun.py

# Programs look for their helpers beside themselves first: so that those of a build tree find theirs.
noinst_SCRIPTS = railhead-torchrun.py
CLEANFILES += railhead-torchrun.py
railhead-torchrun.py: libexec/railhead-torchrun.py
	$(AM_V_GEN)cp $(srcdir)/libexec/railhead-torchrun.py $@
