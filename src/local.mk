# The words.  A program takes from the library only the objects that it uses: what only the daemon needs (archives,
# digests, HTTP, the loop) is not in railhead-worker.

noinst_LIBRARIES += src/libwords.a
src_libwords_a_SOURCES = \
	src/archive.c src/archive.h \
	src/archive_stream.c src/archive_stream.h \
	src/base.c src/base.h \
	src/cgroup_folder.c src/cgroup_folder.h \
	src/channel.c src/channel.h \
	src/child.c src/child.h \
	src/clock.c src/clock.h \
	src/csv.c src/csv.h \
	src/csv_read.c src/csv_read.h \
	src/digest.c src/digest.h \
	src/env.c src/env.h \
	src/err.c src/err.h \
	src/files.c src/files.h \
	src/html.c src/html.h \
	src/http_client.c src/http_client.h \
	src/job_id.c src/job_id.h \
	src/job_spec.c src/job_spec.h \
	src/job_spec_data.c \
	src/job_spec_distribution.c \
	src/job_spec_members.c src/job_spec_members.h \
	src/job_spec_parse.c \
	src/job_state.c src/job_state.h \
	src/journal.c src/journal.h \
	src/json.c src/json.h \
	src/json_print.c \
	src/json_scan.c src/json_scan.h \
	src/launch_config.c src/launch_config.h \
	src/launch_env.c src/launch_env.h \
	src/launch_mpi.c \
	src/launch_plan.c src/launch_plan.h \
	src/launch_private.h \
	src/launch_tf.c \
	src/launch_training_env.c \
	src/log.c src/log.h \
	src/loop.c src/loop.h \
	src/members.c src/members.h \
	src/money.c src/money.h \
	src/namespaces.c src/namespaces.h \
	src/nursery.c src/nursery.h \
	src/port.c src/port.h \
	src/problems.c src/problems.h \
	src/process.c src/process.h \
	src/profile.c src/profile.h \
	src/profile_host.c src/profile_host.h \
	src/python_text.c src/python_text.h \
	src/rank_log.c src/rank_log.h \
	src/regex.c src/regex.h \
	src/rsh.c src/rsh.h \
	src/shell_words.c src/shell_words.h \
	src/s3.c src/s3.h \
	src/s3_call.c src/s3_call.h \
	src/s3_check.c src/s3_check.h \
	src/s3_fetch.c \
	src/s3_list.c \
	src/s3_put.c \
	src/s3_stream.c \
	src/s3_xml.c src/s3_xml.h \
	src/sigv4.c src/sigv4.h \
	src/stage.h \
	src/stats.c src/stats.h \
	src/storage.c src/storage.h \
	src/text.c src/text.h \
	src/uri.c src/uri.h \
	src/worker_plan.c \
	src/yaml.c src/yaml.h \
	src/zone.c src/zone.h
src_libwords_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS) $(YAML_CFLAGS) $(CURL_CFLAGS) \
	$(CRYPTO_CFLAGS) $(ARCHIVE_CFLAGS) $(SYSTEMD_CFLAGS) $(PCRE2_CFLAGS)

words = src/libwords.a
# What all of them stand on; the worker names its few itself.
heavy_LIBS = $(CJSON_LIBS) $(PCRE2_LIBS) $(YAML_LIBS) $(CURL_LIBS) $(CRYPTO_LIBS) $(ARCHIVE_LIBS) $(SYSTEMD_LIBS) -lm

# Packs and unpacks source trees, so that neither daemon nor worker does it itself.
pkglibexec_PROGRAMS += railhead-archive
railhead_archive_SOURCES = src/archive_main.c
railhead_archive_LDADD = $(words) $(ARCHIVE_LIBS) $(CRYPTO_LIBS)

# In the place of ssh, for mpirun.
pkglibexec_PROGRAMS += railhead-rsh
railhead_rsh_SOURCES = src/rsh_main.c
railhead_rsh_LDADD = $(words)
