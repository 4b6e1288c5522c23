const assert = require("node:assert");

const { total } = require("./shop.js");

assert.strictEqual(total([1, 2]), 3);
assert.strictEqual(total([]), 0);
