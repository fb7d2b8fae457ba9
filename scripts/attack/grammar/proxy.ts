/** What other programs of this machine send to the browser's proxy: requests without its password, and with it for addresses that no page may reach. */
import type { AttackCall } from "./draw-call.ts";
import { drawOwnHost } from "./addresses.ts";
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";

const GUESSES = ["", "retinue:", "retinue:retinue", ":", "retinue:@HALF@", "root:@PASSWORD@", "retinue:@PASSWORD@x"];
const HEADERS = [
  "proxy-authorization: Basic",
  "Proxy-Authorization: basic",
  "authorization: Basic",
  "proxy-authorization: Bearer",
];

export const drawProxyCall = (random: Random): AttackCall => {
  const isKnown = random() < 0.4;
  const to = isKnown ? `${drawOwnHost(random)}:@PORT@` : pick(random, ["@SITE@", "@SITE@", `127.0.0.1:@PORT@`]);
  const first = pick(random, [`GET http://${to}/ HTTP/1.1`, `CONNECT ${to} HTTP/1.1`, `POST http://${to}/x HTTP/1.1`]);
  const guess = pick(random, GUESSES);
  const header = isKnown ? "proxy-authorization: Basic" : pick(random, HEADERS);
  return { tool: "proxy", input: { first, to, header, credentials: isKnown ? "retinue:@PASSWORD@" : guess } };
};
