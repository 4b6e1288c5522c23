# Works on a project whose build begins with removing what was built.
# project: javascript_build
# request: Refuse negative prices
# ends: merged
# because: 2 tests ran before the change, 3 after it
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
cat > test/negative.test.js <<'EOF'
const assert = require("node:assert");
const test = require("node:test");

const { total } = require("../dist/shop.js");

test("refuses negative prices", () => {
  assert.throws(() => total([-1]));
});
EOF
