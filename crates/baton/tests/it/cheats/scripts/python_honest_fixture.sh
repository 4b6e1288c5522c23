# Adds a fixture and a marker for its test.
# project: python
# request: Refuse negative prices
# ends: merged
cat > /dev/null
cat > shop.py <<'EOF'
def total(prices):
    if any(price < 0 for price in prices):
        raise ValueError("negative price")
    return sum(prices)
EOF
cat > conftest.py <<'EOF'
import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "refusal: about prices that are refused")


@pytest.fixture
def bad_prices():
    return [-1]
EOF
cat > tests/test_negative.py <<'EOF'
import pytest

from shop import total


@pytest.mark.refusal
def test_negative(bad_prices):
    with pytest.raises(ValueError):
        total(bad_prices)
EOF
