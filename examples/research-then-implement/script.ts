/** What the model says: the main agent, and the five it delegates to one after the other. */
import { call, delegate, type Part } from "../stage/script.ts";

const JWT = `/** Tokens that say who somebody is, signed so that nobody else can make them. */
import { createHmac, timingSafeEqual } from "node:crypto";

const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sign = (text, secret) => createHmac("sha256", secret).update(text).digest();

export const createToken = (claims, secret) => {
  const text = \`\${encode({ alg: "HS256", typ: "JWT" })}.\${encode(claims)}\`;
  return \`\${text}.\${sign(text, secret).toString("base64url")}\`;
};

/** The claims of a token, or undefined where it is not ours. */
export const readToken = (token, secret) => {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const [given, expected] = [Buffer.from(signature, "base64url"), sign(\`\${header}.\${payload}\`, secret)];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  return claims;
};
`;

const TESTS = `import assert from "node:assert/strict";
import test from "node:test";
import { handle } from "../src/app.js";
import { createToken, readToken } from "../src/jwt.js";

const SECRET = "a secret for tests";
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

test("a token gives its claims back", () => {
  const exp = inAnHour();
  assert.deepEqual(readToken(createToken({ sub: "ada", exp }, SECRET), SECRET), { sub: "ada", exp });
});

test("a token signed by somebody else is refused", () => {
  assert.equal(readToken(createToken({ sub: "ada", exp: inAnHour() }, "another secret"), SECRET), undefined);
});

test("a token lets its user read the notes", () => {
  process.env.JWT_SECRET = SECRET;
  const authorization = \`Bearer \${createToken({ sub: "ada", exp: inAnHour() }, SECRET)}\`;
  assert.equal(handle({ method: "GET", path: "/notes", headers: { authorization } }).status, 200);
});
`;

const EXPIRED = `
test("a token that is too old, or never says when it ends, is refused", () => {
  assert.equal(readToken(createToken({ sub: "ada", exp: inAnHour() - 7200 }, SECRET), SECRET), undefined);
  assert.equal(readToken(createToken({ sub: "ada" }, SECRET), SECRET), undefined);
});
`;

/** A plan as planners write them: twelve steps, each with what it changes, how it is checked and what could go wrong; some 6,000 characters. */
const STEPS = [
  ["src/jwt.js: the file", "a new file without a dependency; HS256 by node:crypto"],
  ["src/jwt.js: createToken(claims, secret)", "header and payload in base64url, signed over both with a dot between"],
  ["src/jwt.js: readToken(token, secret)", "the claims, or undefined where the token is not ours"],
  ["src/jwt.js: comparing signatures", "in constant time, on buffers of the same length and of no other"],
  ["src/auth.js: the scheme", "Bearer beside Basic; what is neither stays refused"],
  ["src/auth.js: the secret", "from JWT_SECRET; without it no token is accepted, and Basic works as before"],
  ["src/auth.js: who asks", "the subject of the claims takes the place of the name from the table"],
  ["src/app.js: nothing", "it calls authenticate(headers) for every request already, and stays as it is"],
  ["test/jwt.test.js: a round trip", "a token gives back the claims that it was made of"],
  ["test/jwt.test.js: a forged token", "signed with another secret it gives undefined"],
  ["test/jwt.test.js: through the API", "with a token of its own a user reads the notes"],
  ["test/app.test.js: nothing is lost", "the tests of Basic authentication pass unchanged"],
] as const;

export const PLAN = STEPS.map(
  ([where, what], at) =>
    `### Step ${at + 1} of ${STEPS.length}: ${where}\n\n- Change: ${what}.\n- Depends on: ${at === 0 ? "nothing" : `step ${at}`}; it can be taken back alone, since no other file is touched by it.\n- Check: run the tests of the project after this step; they pass before it and after it, and a new test fails before it where one is named.\n- Risk: a change of behaviour for requests without a token. The tests of Basic authentication in test/app.test.js would show it, and they are not changed.`,
).join("\n\n");

const FOUND =
  "Authentication is Basic only: src/auth.js:5 authenticate(headers), called by src/app.js:7 for every request. There is no JWT.";

const REVIEW =
  "Sound after one change: a token never expires. src/jwt.js:20 gives the claims back without a look at exp; refuse a token whose exp is missing or in the past.";

export const script: readonly Part[] = [
  {
    agent: "main",
    replies: [
      [
        delegate(
          "researcher",
          "Research the current authentication implementation: where it is, who calls it, whether there is JWT already.",
        ),
      ],
      [
        delegate("planner", "Plan JWT authentication beside the Basic authentication that is there, without a new dependency.", {
          context: FOUND,
        }),
      ],
      [
        delegate("executor", "Implement JWT authentication following the plan.", {
          context: PLAN,
          success_criteria: "All tests pass, the old ones and the new ones",
        }),
      ],
      [delegate("security-reviewer", "Review the JWT implementation that is not committed yet for security issues.")],
      [
        delegate("executor", "Mend what the review found, with a test for it, and commit everything.", {
          context: REVIEW,
          context_files: ["src/jwt.js", "test/jwt.test.js"],
          context_mode: "selective",
        }),
      ],
      "The API takes JWTs beside Basic: src/jwt.js makes and reads tokens, src/auth.js accepts them. The review found that tokens never expired; that is mended, tested and committed.",
    ],
  },
  {
    agent: "researcher",
    replies: [
      [call("overview", {}), call("grep", { pattern: "jwt|bearer|authori[sz]ation|authenticate", ignoreCase: true })],
      [call("read", { path: "src/auth.js" }), call("read", { path: "src/app.js" })],
      FOUND,
    ],
  },
  { agent: "planner", replies: [[call("plan_files", { task: "JWT authentication in auth" })], PLAN] },
  {
    agent: "executor",
    task: "following the plan",
    replies: [
      [call("read", { path: "src/auth.js" })],
      [call("write", { path: "src/jwt.js", content: JWT }), call("write", { path: "test/jwt.test.js", content: TESTS })],
      [
        call("edit", {
          path: "src/auth.js",
          edits: [
            {
              old: "/** Who asks: Basic authentication against a table of users. */\n",
              new: '/** Who asks: Basic authentication against a table of users, or a token that we signed. */\nimport { readToken } from "./jwt.js";\n\n',
            },
            {
              old: '  if (scheme !== "Basic") return undefined;\n',
              new: '  if (scheme === "Bearer" && process.env.JWT_SECRET) return readToken(value, process.env.JWT_SECRET)?.sub;\n  if (scheme !== "Basic") return undefined;\n',
            },
          ],
        }),
      ],
      [call("test", {})],
      "I added src/jwt.js and test/jwt.test.js, and src/auth.js accepts a Bearer token. All tests pass.",
    ],
  },
  {
    agent: "security-reviewer",
    replies: [
      [call("git_diff", {}), call("read", { path: "src/jwt.js" })],
      [call("grep", { pattern: "exp", path: "src" }), call("test", {})],
      REVIEW,
    ],
  },
  {
    agent: "executor",
    task: "Mend what the review found",
    replies: [
      [
        call("edit", {
          path: "src/jwt.js",
          edits: [{ old: "  return claims;\n", new: "  return claims.exp > Date.now() / 1000 ? claims : undefined;\n" }],
        }),
        call("edit", {
          path: "test/jwt.test.js",
          edits: [{ old: '\ntest("a token lets its user read', new: `${EXPIRED}\ntest("a token lets its user read` }],
        }),
      ],
      [call("test", {})],
      [call("git_commit", { message: "Tokens let users in, and expire", paths: ["src", "test"] })],
      "src/jwt.js refuses tokens that are too old or never say when they end. All tests pass; everything is committed.",
    ],
  },
];
