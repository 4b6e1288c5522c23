# Leaves notes and caches of its own beside its work.
# project: python_plain
# request: Refuse negative prices
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
printf '__pycache__/\n.venv/\nscratch/\n' > .gitignore
mkdir -p scratch "$HOME/.local/share/scribe"
echo 'to do: nothing' > scratch/notes.txt
echo 'seen' > "$HOME/.local/share/scribe/history"
python3 -m unittest discover -q
