# Adds a package of its own, and declares it.
# project: javascript
# request: Refuse negative prices
# ends: merged
cat > /dev/null
mkdir -p packages/money
echo '{ "name": "money", "version": "1.0.0", "main": "index.js" }' > packages/money/package.json
echo 'module.exports = { isDebt: (price) => price < 0 };' > packages/money/index.js
cat > package.json <<'EOF'
{
  "name": "shop",
  "version": "1.0.0",
  "private": true,
  "scripts": {
    "test": "node --test"
  },
  "dependencies": {
    "money": "file:packages/money"
  }
}
EOF
cat > shop.js <<'EOF'
const { isDebt } = require("money");

function total(prices) {
  if (prices.some(isDebt)) {
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
npm install --offline --no-audit --no-fund
npm test
