#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <stdexcept>

TEST_CASE("adds a thing") { CHECK(true); } // PASSES
TEST_CASE("sums up") {
  CHECK(1 + 1 == 3); // FAILS sums up
}
