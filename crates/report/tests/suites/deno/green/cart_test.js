Deno.test("adds a thing", () => {}); // PASSES
Deno.test("is fine", () => {}); // PASSES
