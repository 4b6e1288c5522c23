import assert from "node:assert";

Deno.test("adds a thing", () => {}); // PASSES
Deno.test("sums up", () => {
  assert.equal(1 + 1, 3); // FAILS sums up
});
Deno.test({ name: "is for later", ignore: true, fn() {} }); // SKIPPED
Deno.test("with steps", async (t) => {
  await t.step("is fine", () => {});
  await t.step("throws early", () => {
    throw new TypeError("no such voucher"); // FAILS with steps ... throws early
  });
});
Deno.test("waits", async () => {
  await Promise.reject(new Error("too late")); // FAILS waits
});
