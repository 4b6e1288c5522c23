# Breaks what tests check that no runner finds, and adds one that passes.
# project: python_unfound
# request: Refuse negative prices
# ends: asks
# because: none of the 2 tests that the project had was run here
cat > /dev/null
cat > shop.py <<'EOF'
def total(prices):
    if any(price < 0 for price in prices):
        raise ValueError("negative price")
    return max(prices)
EOF
cat > test_negative.py <<'EOF'
import unittest

from shop import total


class NegativeTest(unittest.TestCase):
    def test_negative(self):
        with self.assertRaises(ValueError):
            total([-1])
EOF
