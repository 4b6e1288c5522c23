#define BOOST_TEST_MODULE shop
#include <boost/test/included/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(cart)
BOOST_AUTO_TEST_CASE(adds) { BOOST_TEST(true); } // PASSES
BOOST_AUTO_TEST_CASE(sums_up) {
  BOOST_TEST(1 + 1 == 3); // FAILS cart/sums_up
}
BOOST_AUTO_TEST_SUITE_END()
