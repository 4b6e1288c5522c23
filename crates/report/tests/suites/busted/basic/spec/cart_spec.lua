describe("cart", function()
  it("adds a thing", function() assert.is_true(true) end) -- PASSES
  it("sums up", function()
    assert.are.equal(3, 1 + 1) -- FAILS cart sums up
  end)
  it("raises", function()
    error("no such voucher") -- FAILS cart raises
  end)
  pending("is for later") -- SKIPPED
end)
