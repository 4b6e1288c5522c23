test_that("it adds", { # PASSES
  expect_true(TRUE)
})
test_that("it sums up", {
  expect_equal(1 + 1, 3) # FAILS it sums up
})
test_that("it is for later", {
  skip("later") # SKIPPED
})
