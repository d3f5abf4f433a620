instanceprofilesdir = $(pkgdatadir)/instance-profiles
dist_instanceprofiles_DATA =
