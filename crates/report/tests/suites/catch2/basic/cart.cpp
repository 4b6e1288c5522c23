#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <stdexcept>

TEST_CASE("adds a thing") { CHECK(true); } // PASSES
TEST_CASE("sums up", "[sum]") {
  CHECK(1 + 1 == 3); // FAILS sums up
}
TEST_CASE("throws early") {
  throw std::runtime_error("no such voucher"); // FAILS throws early
}
TEST_CASE("voucher") {
  SECTION("is wrong") {
    REQUIRE(1 == 2); // FAILS voucher > is wrong | voucher
  }
}
