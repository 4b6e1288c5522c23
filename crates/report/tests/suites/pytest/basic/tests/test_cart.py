import pytest


def test_adds():  # PASSES
    assert True


def test_sums_up():
    assert 1 + 1 == 3  # FAILS tests/test_cart.py::test_sums_up


class TestVoucher:
    def test_raises(self):
        raise KeyError("no such voucher")  # FAILS tests/test_cart.py::TestVoucher::test_raises

    @pytest.mark.parametrize("n", [1, 2])
    def test_counts(self, n):  # PASSES
        assert n != 2  # FAILS tests/test_cart.py::TestVoucher::test_counts[2]


@pytest.mark.skip(reason="later")
def test_later():  # SKIPPED
    pass


@pytest.mark.xfail
def test_broken():  # SKIPPED
    assert False


@pytest.fixture
def database():
    raise RuntimeError("no database")  # ERRORS tests/test_cart.py::test_stored


def test_stored(database):
    pass
