// Shows the server's token with every request that the suite makes, however
// it makes it: with fetch, with undici or with node:http.
import http from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const authorization = `Bearer ${process.env.BATON_SERVE_TOKEN}`;
const { Agent, setGlobalDispatcher } = createRequire(process.argv[1])('undici');

const showToken = (dispatch) => (options, handler) => {
  const given = options.headers ?? {};
  const headers = Array.isArray(given)
    ? [...given, 'authorization', authorization]
    : { ...(Symbol.iterator in given ? Object.fromEntries(given) : given), authorization };
  return dispatch({ ...options, headers }, handler);
};
setGlobalDispatcher(new Agent().compose(showToken));

const request = http.request;
http.request = (...all) => {
  const made = request(...all);
  made.setHeader('authorization', authorization);
  return made;
};
syncBuiltinESMExports();
