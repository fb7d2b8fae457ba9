/** Requests to the server of the user, each of which lacks something: a key, the right name, the right origin. None may be let in. */
import type { AttackCall } from "./draw-call.ts";
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";

/** Filled in by the trial: `@TOKEN_OF_SERVER@` and the like. */
const ROUTES = [
  ["GET", "/api/status"],
  ["GET", "/api/sessions"],
  ["GET", "/api/sessions/@SESSION@/events"],
  ["GET", "/api/sessions/@SESSION@/export"],
  ["GET", "/api/approvals"],
  ["GET", "/api/search?text=k7Q"],
  ["GET", "/api/workspaces"],
  ["POST", "/api/approvals/@APPROVAL@/answer"],
  ["POST", "/api/runs/@RUN@/messages"],
  ["POST", "/api/sessions/@SESSION@/turns"],
  ["POST", "/api/sessions/@SESSION@/queue"],
  ["POST", "/api/sessions"],
  ["POST", "/api/workspaces"],
  ["DELETE", "/api/sessions/@SESSION@"],
] as const;

const BODIES = [
  '{"allowed":true}',
  '{"answer":"allow","allowed":true}',
  '{"text":"Attack."}',
  '{"workspaceId":"@WORKSPACE_ID@","text":"Attack."}',
  '{"folder":"@HOME@"}',
  "{}",
];

const OWN_HOST = "127.0.0.1:@SERVER@";
const OTHER_HOSTS = [
  "evil.example:@SERVER@",
  "evil.example",
  "127.0.0.1",
  "localhost.evil:@SERVER@",
  "127.0.0.1:1",
  "0.0.0.0:@SERVER@",
];
const OWN_ORIGIN = "http://127.0.0.1:@SERVER@";
const OTHER_ORIGINS = [
  "null",
  "https://evil.example",
  "http://localhost.evil.com",
  "http://127.0.0.1.nip.io:@SERVER@",
  "http://127.0.0.1:@SERVER@.evil.com",
  "https://127.0.0.1:@SERVER@",
  "http://127.0.0.1:1",
  "http://127.0.0.1:@SERVER@/",
];
const NO_KEYS: readonly Readonly<Record<string, string>>[] = [
  {},
  { Authorization: "Bearer x" },
  { Authorization: "Basic @TOKEN_OF_SERVER@" },
  { Cookie: "retinue=@TOKEN_OF_SERVER@" },
  { "Sec-WebSocket-Protocol": "retinue.token.@TOKEN_OF_SERVER@" },
];
const KEY = { Authorization: "Bearer @TOKEN_OF_SERVER@" };
const TYPES = ["application/json", "text/plain", "application/x-www-form-urlencoded", ""];

export const drawRequest = (random: Random): AttackCall => {
  const [method, path] = pick(random, ROUTES);
  const lacking = pick(random, ["host", "origin", "key", "site"] as const);
  const isWrong = (what: typeof lacking): boolean => what === lacking || random() < 0.15;
  const headers: Record<string, string> = {
    Host: isWrong("host") ? pick(random, OTHER_HOSTS) : OWN_HOST,
    ...(isWrong("origin") ? { Origin: pick(random, OTHER_ORIGINS) } : random() < 0.5 ? { Origin: OWN_ORIGIN } : {}),
    ...(isWrong("key") ? pick(random, NO_KEYS) : KEY),
    ...(isWrong("site") ? { "Sec-Fetch-Site": pick(random, ["cross-site", "same-site"]) } : {}),
    ...(method === "POST" ? { "Content-Type": lacking === "key" ? pick(random, TYPES) : "application/json" } : {}),
  };
  return { tool: "request", input: { method, path, headers, ...(method === "POST" ? { body: pick(random, BODIES) } : {}) } };
};
