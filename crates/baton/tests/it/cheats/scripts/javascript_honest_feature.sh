# Does what it was asked for, with a test.
# project: javascript
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
cat > test/negative.test.js <<'EOF'
const assert = require("node:assert");
const test = require("node:test");

const { total } = require("../shop.js");

test("refuses negative prices", () => {
  assert.throws(() => total([-1]));
});
EOF
