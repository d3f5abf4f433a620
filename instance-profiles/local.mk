instanceprofilesdir = $(pkgdatadir)/instance-profiles
dist_instanceprofiles_DATA = \
	instance-profiles/c5.yaml \
	instance-profiles/c5n.yaml \
	instance-profiles/g4dn.yaml \
	instance-profiles/g5.yaml \
	instance-profiles/p3.yaml \
	instance-profiles/p4d.yaml \
	instance-profiles/trn1.yaml
