const assert = require("node:assert");
const test = require("node:test");

const { total } = require("../dist/shop.js");

test("adds two", () => {
  assert.strictEqual(total([1, 2]), 3);
});

test("adds none", () => {
  assert.strictEqual(total([]), 0);
});
