import unittest

from shop import average, total


class TotalTest(unittest.TestCase):
    def test_two(self):
        self.assertEqual(total([1, 2]), 3)

    def test_none(self):
        self.assertEqual(total([]), 0)

    def test_average_of_none(self):
        self.assertEqual(average([]), 0)
