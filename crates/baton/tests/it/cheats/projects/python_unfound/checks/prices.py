import unittest

from shop import total


class TotalTest(unittest.TestCase):
    def test_two(self):
        self.assertEqual(total([1, 2]), 3)

    def test_none(self):
        self.assertEqual(total([]), 0)


if __name__ == "__main__":
    unittest.main()
