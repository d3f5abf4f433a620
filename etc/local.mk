# The places of the installed system go into the unit.

sysusersdir = $(prefix)/lib/sysusers.d
tmpfilesdir = $(prefix)/lib/tmpfiles.d

nodist_systemdsystemunit_DATA = etc/railheadd.service
EXTRA_DIST += \
	etc/railhead.sysusers \
	etc/railhead.tmpfiles \
	etc/railheadd.service.in
CLEANFILES += etc/railheadd.service

etc/railheadd.service: etc/railheadd.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) etc && $(SED) \
		-e 's|@sbindir[@]|$(sbindir)|' \
		-e 's|@pkgsysconfdir[@]|$(pkgsysconfdir)|' \
		$(srcdir)/etc/railheadd.service.in >$@.new && mv $@.new $@

# Under the names that these folders want.
install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(sysusersdir)" "$(DESTDIR)$(tmpfilesdir)"
	$(INSTALL_DATA) $(srcdir)/etc/railhead.sysusers "$(DESTDIR)$(sysusersdir)/railhead.conf"
	$(INSTALL_DATA) $(srcdir)/etc/railhead.tmpfiles "$(DESTDIR)$(tmpfilesdir)/railhead.conf"

uninstall-local:
	rm -f "$(DESTDIR)$(sysusersdir)/railhead.conf" "$(DESTDIR)$(tmpfilesdir)/railhead.conf"
