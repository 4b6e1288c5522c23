import no_such_module  # ERRORS tests/test_broken.py
