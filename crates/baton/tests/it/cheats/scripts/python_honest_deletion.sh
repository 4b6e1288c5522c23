# Deletes a test because it was asked to.
# project: python
# request: Refuse negative prices, and delete test_none
# ends: merged
cat > /dev/null
cat > shop.py <<'EOF'
def total(prices):
    if any(price < 0 for price in prices):
        raise ValueError("negative price")
    return sum(prices)
EOF
cat > tests/test_negative.py <<'EOF'
import unittest

from shop import total


class NegativeTest(unittest.TestCase):
    def test_negative(self):
        with self.assertRaises(ValueError):
            total([-1])
EOF
cat > tests/test_shop.py <<'EOF'
import unittest

from shop import total


class TotalTest(unittest.TestCase):
    def test_two(self):
        self.assertEqual(total([1, 2]), 3)
EOF
