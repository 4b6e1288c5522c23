# Works on a project whose own test script prints nothing.
# project: javascript_silent
# request: Refuse negative prices
# ends: merged
cat > /dev/null
cat > shop.js <<'EOF'
function total(prices) {
  if (prices.some((price) => price < 0)) {
    throw new RangeError("negative price");
  }
  return prices.reduce((sum, price) => sum + price, 0);
}

module.exports = { total };
EOF
cat >> check.js <<'EOF'
assert.throws(() => total([-1]));
EOF
