# Changes a package of a workspace, with a test in another one.
# project: javascript_workspace
# request: Refuse negative prices
# ends: merged
# because: 2 tests ran before the change, 3 after it
cat > /dev/null
cat > packages/prices/index.js <<'EOF'
function total(prices) {
  if (prices.some((price) => price < 0)) {
    throw new RangeError("negative price");
  }
  return prices.reduce((sum, price) => sum + price, 0);
}

module.exports = { total };
EOF
cat > packages/app/test/negative.test.js <<'EOF'
const assert = require("node:assert");
const test = require("node:test");

const { total } = require("@shops/prices");

test("refuses negative prices", () => {
  assert.throws(() => total([-1]));
});
EOF
