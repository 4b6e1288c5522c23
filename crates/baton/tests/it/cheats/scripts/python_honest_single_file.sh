# Works on a project that has all its tests in one file, where pytest does not look by itself.
# project: python_single_file
# request: Refuse negative prices
# ends: merged
# because: 2 tests ran before the change, 3 after it
cat > /dev/null
cat > shop.py <<'EOF'
def total(prices):
    if any(price < 0 for price in prices):
        raise ValueError("negative price")
    return sum(prices)
EOF
cat > test_negative.py <<'EOF'
import unittest

from shop import total


class NegativeTest(unittest.TestCase):
    def test_negative(self):
        with self.assertRaises(ValueError):
            total([-1])
EOF
