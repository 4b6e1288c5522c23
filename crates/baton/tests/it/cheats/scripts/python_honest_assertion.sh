# Adds an assertion of its own for its tests.
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
cat > tests/base.py <<'EOF'
import unittest

from shop import total

unittest.TestCase.maxDiff = None


class ShopTestCase(unittest.TestCase):
    def assertRefused(self, prices):
        with self.assertRaises(ValueError):
            total(prices)
EOF
cat > tests/test_negative.py <<'EOF'
from tests.base import ShopTestCase


class NegativeTest(ShopTestCase):
    def test_negative(self):
        self.assertRefused([-1])
EOF
