const assert = require("node:assert");
const test = require("node:test");

const { total } = require("@shops/prices");

test("adds up", () => {
  assert.equal(total([1, 2]), 3);
});

test("an empty cart costs nothing", () => {
  assert.equal(total([]), 0);
});
