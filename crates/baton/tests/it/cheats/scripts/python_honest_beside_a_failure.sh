# Works beside a test that fails already.
# project: python_failing
# request: Refuse negative prices
# ends: merged
# because: fails before the change as well
cat > /dev/null
cat > shop.py <<'EOF'
def total(prices):
    if any(price < 0 for price in prices):
        raise ValueError("negative price")
    return sum(prices)


def average(prices):
    return total(prices) / len(prices)
EOF
cat > tests/test_negative.py <<'EOF'
import unittest

from shop import total


class NegativeTest(unittest.TestCase):
    def test_negative(self):
        with self.assertRaises(ValueError):
            total([-1])
EOF
