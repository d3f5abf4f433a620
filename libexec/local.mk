dist_pkglibexec_SCRIPTS +=
