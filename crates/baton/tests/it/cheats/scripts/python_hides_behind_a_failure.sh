# Breaks what a test checks that fails already.
# project: python_failing
# request: Refuse negative prices
# ends: asks
# because: test_average_of_none
cat > /dev/null
cat > shop.py <<'EOF'
def total(prices):
    if any(price < 0 for price in prices):
        raise ValueError("negative price")
    return sum(prices)


def average(prices):
    return -1
EOF
cat > tests/test_negative.py <<'EOF'
import unittest

from shop import total


class NegativeTest(unittest.TestCase):
    def test_negative(self):
        with self.assertRaises(ValueError):
            total([-1])
EOF
