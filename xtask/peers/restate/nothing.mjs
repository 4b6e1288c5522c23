// A service whose steps do nothing, and the client that calls it: what a durable
// step costs on Restate. Prints one line of JSON.
//
// Usage: node nothing.mjs ADMIN_PORT INGRESS_PORT OWN_PORT RUNS AT_ONCE STEPS
import * as restate from "@restatedev/restate-sdk";

const [admin, ingress, own, runs, atOnce, steps] = process.argv.slice(2).map(Number);

const nothing = restate.service({
  name: "Nothing",
  handlers: {
    run: async (context) => {
      for (let step = 0; step < steps; step += 1) {
        await context.run(`step ${step}`, () => step);
      }
    },
  },
});

async function post(url, body) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) {
    throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  }
  await answer.arrayBuffer();
}

async function secondsFor(count) {
  let started = 0;
  const begin = performance.now();
  const callers = Array.from({ length: atOnce }, async () => {
    while (started < count) {
      started += 1;
      await post(`http://127.0.0.1:${ingress}/Nothing/run`, null);
    }
  });
  await Promise.all(callers);
  return (performance.now() - begin) / 1000;
}

restate.serve({ services: [nothing], port: own, logger: () => {} });
await post(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${own}` });
await secondsFor(atOnce);
const seconds = await secondsFor(runs);
console.log(JSON.stringify({ steps_per_second: (runs * steps) / seconds }));
process.exit(0);
