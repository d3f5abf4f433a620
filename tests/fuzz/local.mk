# The targets of libFuzzer: built by clang alone, with configure --enable-fuzzing.  scripts/fuzz runs them.

fuzz_programs = \
	tests/fuzz/fuzz_config \
	tests/fuzz/fuzz_csv \
	tests/fuzz/fuzz_cursor \
	tests/fuzz/fuzz_exchange \
	tests/fuzz/fuzz_figures \
	tests/fuzz/fuzz_history \
	tests/fuzz/fuzz_import \
	tests/fuzz/fuzz_journal \
	tests/fuzz/fuzz_json \
	tests/fuzz/fuzz_output \
	tests/fuzz/fuzz_plan \
	tests/fuzz/fuzz_prices \
	tests/fuzz/fuzz_profiles \
	tests/fuzz/fuzz_regex \
	tests/fuzz/fuzz_request \
	tests/fuzz/fuzz_s3_xml \
	tests/fuzz/fuzz_sigv4 \
	tests/fuzz/fuzz_spec \
	tests/fuzz/fuzz_uri \
	tests/fuzz/fuzz_words \
	tests/fuzz/fuzz_yaml
EXTRA_PROGRAMS += $(fuzz_programs)
CLEANFILES += $(fuzz_programs)
fuzzing = tests/fuzz/fuzz.c tests/fuzz/fuzz.h
fuzzing_link = $(AM_LDFLAGS) -fsanitize=fuzzer
fuzzing_words = $(words) $(heavy_LIBS)
fuzzing_daemon = daemon/libdaemon.a schedulers/libschedulers.a $(words) $(SQLITE_LIBS) $(heavy_LIBS)
fuzzing_api = api/libapi.a $(fuzzing_daemon) $(MICROHTTPD_LIBS)

tests_fuzz_fuzz_config_SOURCES = tests/fuzz/fuzz_config.c $(fuzzing)
tests_fuzz_fuzz_config_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_config_LDADD = $(fuzzing_daemon)
tests_fuzz_fuzz_csv_SOURCES = tests/fuzz/fuzz_csv.c $(fuzzing)
tests_fuzz_fuzz_csv_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_csv_LDADD = $(fuzzing_words)
tests_fuzz_fuzz_cursor_SOURCES = tests/fuzz/fuzz_cursor.c $(fuzzing)
tests_fuzz_fuzz_cursor_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_cursor_LDADD = $(fuzzing_api)
tests_fuzz_fuzz_exchange_SOURCES = tests/fuzz/fuzz_exchange.c $(fuzzing)
tests_fuzz_fuzz_exchange_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_exchange_LDADD = $(fuzzing_api)
tests_fuzz_fuzz_figures_SOURCES = tests/fuzz/fuzz_figures.c $(fuzzing)
tests_fuzz_fuzz_figures_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_figures_LDADD = $(fuzzing_words)
tests_fuzz_fuzz_history_SOURCES = tests/fuzz/fuzz_history.c $(fuzzing)
tests_fuzz_fuzz_history_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_history_LDADD = $(fuzzing_api)
tests_fuzz_fuzz_import_SOURCES = tests/fuzz/fuzz_import.c $(fuzzing)
tests_fuzz_fuzz_import_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_import_LDADD = $(fuzzing_daemon)
tests_fuzz_fuzz_journal_SOURCES = tests/fuzz/fuzz_journal.c $(fuzzing)
tests_fuzz_fuzz_journal_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_journal_LDADD = schedulers/libschedulers.a $(fuzzing_words)
tests_fuzz_fuzz_json_SOURCES = tests/fuzz/fuzz_json.c $(fuzzing)
tests_fuzz_fuzz_json_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_json_LDADD = $(fuzzing_words)
tests_fuzz_fuzz_output_SOURCES = tests/fuzz/fuzz_output.c $(fuzzing)
tests_fuzz_fuzz_output_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_output_LDADD = src/worker/libworker.a $(fuzzing_words)
tests_fuzz_fuzz_plan_SOURCES = tests/fuzz/fuzz_plan.c $(fuzzing)
tests_fuzz_fuzz_plan_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_plan_LDADD = $(fuzzing_words)
tests_fuzz_fuzz_prices_SOURCES = tests/fuzz/fuzz_prices.c $(fuzzing)
tests_fuzz_fuzz_prices_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_prices_LDADD = $(fuzzing_daemon)
tests_fuzz_fuzz_profiles_SOURCES = tests/fuzz/fuzz_profiles.c $(fuzzing)
tests_fuzz_fuzz_profiles_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_profiles_LDADD = $(fuzzing_words)
tests_fuzz_fuzz_regex_SOURCES = tests/fuzz/fuzz_regex.c $(fuzzing)
tests_fuzz_fuzz_regex_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_regex_LDADD = $(fuzzing_words)
tests_fuzz_fuzz_request_SOURCES = tests/fuzz/fuzz_request.c $(fuzzing)
tests_fuzz_fuzz_request_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_request_LDADD = $(fuzzing_api)
tests_fuzz_fuzz_s3_xml_SOURCES = tests/fuzz/fuzz_s3_xml.c $(fuzzing)
tests_fuzz_fuzz_s3_xml_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_s3_xml_LDADD = $(fuzzing_words)
tests_fuzz_fuzz_sigv4_SOURCES = tests/fuzz/fuzz_sigv4.c $(fuzzing)
tests_fuzz_fuzz_sigv4_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_sigv4_LDADD = $(fuzzing_words)
tests_fuzz_fuzz_spec_SOURCES = tests/fuzz/fuzz_spec.c $(fuzzing)
tests_fuzz_fuzz_spec_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_spec_LDADD = $(fuzzing_words)
tests_fuzz_fuzz_uri_SOURCES = tests/fuzz/fuzz_uri.c $(fuzzing)
tests_fuzz_fuzz_uri_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_uri_LDADD = $(fuzzing_words)
tests_fuzz_fuzz_words_SOURCES = tests/fuzz/fuzz_words.c $(fuzzing)
tests_fuzz_fuzz_words_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_words_LDADD = $(fuzzing_words)
tests_fuzz_fuzz_yaml_SOURCES = tests/fuzz/fuzz_yaml.c $(fuzzing)
tests_fuzz_fuzz_yaml_LDFLAGS = $(fuzzing_link)
tests_fuzz_fuzz_yaml_LDADD = $(fuzzing_words)

fuzz: config.h
	@test "$(enable_fuzzing)" = yes || { \
		echo "make fuzz: configure with CC=clang --enable-fuzzing, as scripts/fuzz does" >&2; exit 2; }
	$(MAKE) $(AM_MAKEFLAGS) $(fuzz_programs)
.PHONY: fuzz

# Inputs to begin with, and those that showed a fault, by target.
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/dictionary
