/* A line a suite, sorted: SUITE(module) is suite_module() in test_module.c. */
SUITE(err)
SUITE(json)
SUITE(problems)
SUITE(text)
SUITE(yaml)
