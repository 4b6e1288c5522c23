import no_such_module  # FAILS tests.test_broken
