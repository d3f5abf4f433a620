# The places of the installed system go into the unit.

sysusersdir = $(prefix)/lib/sysusers.d
tmpfilesdir = $(prefix)/lib/tmpfiles.d
completionsdir = $(datadir)/bash-completion/completions

dist_pkgdata_DATA += etc/quickstart.yaml
nodist_systemdsystemunit_DATA = etc/railheadd.service
EXTRA_DIST += \
	etc/jobctl.bash-completion \
	etc/railhead.sysusers \
	etc/railhead.tmpfiles \
	etc/railhead.yaml \
	etc/railheadd.service.in
CLEANFILES += etc/railheadd.service

etc/railheadd.service: etc/railheadd.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) etc && $(SED) \
		-e 's|@sbindir[@]|$(sbindir)|' \
		-e 's|@pkgsysconfdir[@]|$(pkgsysconfdir)|' \
		$(srcdir)/etc/railheadd.service.in >$@.new && mv $@.new $@

# Under the names that these folders want.  An administrator's configuration is not written over.
install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(sysusersdir)" "$(DESTDIR)$(tmpfilesdir)" "$(DESTDIR)$(completionsdir)" \
		"$(DESTDIR)$(pkgsysconfdir)"
	$(INSTALL_DATA) $(srcdir)/etc/railhead.sysusers "$(DESTDIR)$(sysusersdir)/railhead.conf"
	$(INSTALL_DATA) $(srcdir)/etc/railhead.tmpfiles "$(DESTDIR)$(tmpfilesdir)/railhead.conf"
	$(INSTALL_DATA) $(srcdir)/etc/jobctl.bash-completion "$(DESTDIR)$(completionsdir)/jobctl"
	test -e "$(DESTDIR)$(pkgsysconfdir)/railhead.yaml" || \
	$(INSTALL_DATA) $(srcdir)/etc/railhead.yaml "$(DESTDIR)$(pkgsysconfdir)/railhead.yaml"

uninstall-local:
	rm -f "$(DESTDIR)$(sysusersdir)/railhead.conf" "$(DESTDIR)$(tmpfilesdir)/railhead.conf" \
		"$(DESTDIR)$(completionsdir)/jobctl"
	! cmp -s $(srcdir)/etc/railhead.yaml "$(DESTDIR)$(pkgsysconfdir)/railhead.yaml" || \
	rm -f "$(DESTDIR)$(pkgsysconfdir)/railhead.yaml"
