import type { MockReply, MockRequest, StrictProvider } from "@retinue/model/testing";
import { startMockServer } from "@retinue/model/testing";
import { access, mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { DoctorReport } from "./doctor-report.ts";
import { callRetinue } from "./testing/call-retinue.ts";
import type { Project } from "./testing/spawn-retinue.ts";
import { createProject } from "./testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const projectWith = async (settings: string): Promise<Project> => {
  const project = await createProject();
  cleanups.push(project.remove);
  await writeFile(join(project.home, "retinue.yaml"), settings);
  return project;
};

/** Does what it is asked: says ok, calls the tool, and names the colour. */
const capable = ({ text }: MockRequest): MockReply =>
  text.includes('"add"')
    ? { toolCalls: [{ name: "add", arguments: '{"a":2,"b":3}' }] }
    : { text: text.includes("colour") ? "red" : "ok" };

test("--live asks every model that is set up, and tells how long the answer took or exactly why there was none", async () => {
  const server = await startMockServer({
    reply: (request) => (request.text.includes('"model":"busy"') ? { fault: { type: "status", status: 429 } } : capable(request)),
  });
  cleanups.push(server.close);
  const gone = await startMockServer({ replies: [] });
  await gone.close();
  const project = await projectWith(
    [
      "model: here/good",
      "models: { cheap: here/busy, far: gone/any, again: here/good }",
      `providers: { here: { type: openai-compatible, baseUrl: "${server.baseUrl}" }, gone: { type: openai-compatible, baseUrl: "${gone.baseUrl}" } }`,
    ].join("\n"),
  );
  const { code, stdout, stderr } = await callRetinue(project, ["doctor", "--live"]);
  expect(server.requests.filter(({ text }) => text.includes('"model":"busy"'))).toHaveLength(1);
  expect(stdout).toMatch(/^ {4}tools: yes {2}images: unknown {2}thinking: no$/m);
  expect(stdout).toMatch(/^ {2}here\/good answered: first words after \d+ ms, all after \d+ ms/m);
  expect(stdout).toMatch(/^ {2}cheap did not answer, after \d+ ms; see the end$/m);
  expect(stderr).toMatch(
    /^retinue: cheap: here \(127\.0\.0\.1:\d+\) answered 429: Rate limit reached\. \[model_rate_limited\]$/m,
  );
  expect(stderr).toMatch(
    /^retinue: far: gone .* refused the connection; is providers\.gone\.baseUrl right\? \[model_unreachable\]$/m,
  );
  expect(code).toBe(1);
});

test("--live --json tells the same as data, and without --live no model is asked", async () => {
  const server = await startMockServer({ reply: capable });
  cleanups.push(server.close);
  const project = await projectWith(
    `model: here/good\nproviders: { here: { type: openai-compatible, baseUrl: "${server.baseUrl}" } }\n`,
  );
  const quiet = JSON.parse((await callRetinue(project, ["doctor", "--json"])).stdout) as DoctorReport;
  expect(quiet.live).toBeUndefined();
  expect(server.requests).toHaveLength(0);
  const { code, stdout } = await callRetinue(project, ["doctor", "--live", "--json"]);
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as DoctorReport).live).toMatchObject([{ model: "here/good", ok: true }]);
});

/** Servers that refuse what the real ones refuse; the model's name, and what stands before the version in its address. */
const PROVIDERS: readonly (readonly [StrictProvider, model: string, path: string, images: string])[] = [
  ["anthropic", "claude-sonnet-5", "/v1", "yes"],
  ["google", "gemini-3.8-flash", "/v1beta", "yes"],
  ["openrouter", "anthropic/claude-sonnet-5", "/api/v1", "yes"],
  ["mistral", "mistral-large-latest", "/v1", "yes"],
  ["groq", "openai/gpt-oss-120b", "/openai/v1", "unknown"],
  ["deepseek", "deepseek-v4-flash", "/v1", "unknown"],
  ["ollama", "qwen3:8b", "/v1", "unknown"],
  ["docker-model-runner", "ai/qwen3", "/engines/v1", "unknown"],
];

test("--live finds what a model of each provider can do, with not one request refused", { tags: ["long"] }, async () => {
  const servers = await Promise.all(PROVIDERS.map(([provider]) => startMockServer({ provider, reply: capable })));
  for (const server of servers) cleanups.push(server.close);
  const project = await projectWith(
    JSON.stringify({
      model: `${PROVIDERS[0]?.[0]}/${PROVIDERS[0]?.[1]}`,
      models: Object.fromEntries(PROVIDERS.map(([provider, model]) => [`of-${provider}`, `${provider}/${model}`])),
      providers: Object.fromEntries(
        PROVIDERS.map(([provider, , path], at) => [
          provider,
          { type: provider, baseUrl: `${servers[at]?.origin}${path}`, headers: { "x-a": "b" }, apiKeyEnv: "SOME_KEY" },
        ]),
      ),
    }),
  );
  const { stdout } = await callRetinue(project, ["doctor", "--live", "--json"], { SOME_KEY: "some-key-1" });
  const { live = [] } = JSON.parse(stdout) as DoctorReport;
  expect(live.filter(({ ok }) => !ok)).toEqual([]);
  for (const [at, [provider, model, , images]] of PROVIDERS.entries()) {
    const row = live.find((one) => [`of-${provider}`, `${provider}/${model}`].includes(one.model));
    expect(row, provider).toMatchObject({ ok: true, abilities: { tools: "yes", images } });
    expect(servers[at]?.requests.length).toBe(images === "yes" ? 3 : 2);
  }
});

test("names where sessions are kept, and why they cannot be", async () => {
  const project = await projectWith("model: offline/rules\n");
  const { stdout, code } = await callRetinue(project, ["doctor"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`Sessions are kept in ${join(project.home, "retinue.db")} (SQLite)`);
  const broken = await projectWith("model: offline/rules\n");
  await writeFile(join(broken.home, "retinue.db"), "this is no database, and long enough to be looked at as one");
  const ended = await callRetinue(broken, ["doctor"]);
  expect(ended.stdout).toContain("Sessions cannot be kept; see the end");
  expect(ended.code).not.toBe(0);
  expect(ended.stderr).toMatch(/retinue\.db.* \[\w+\]$/m);
});

test("a lock that a killed git left in the repository is told, and left where it is", async () => {
  const project = await projectWith("model: offline/rules\n");
  const git = join(project.workspace, ".git");
  for (const folder of ["objects", "refs"]) await mkdir(join(git, folder), { recursive: true });
  await writeFile(join(git, "HEAD"), "ref: refs/heads/main\n");
  const lock = join(git, "packed-refs.lock");
  await writeFile(lock, "");
  const threeHoursAgo = new Date(Date.now() - 3 * 3_600_000);
  await utimes(lock, threeHoursAgo, threeHoursAgo);
  const { code, stdout } = await callRetinue(project, ["doctor"]);
  expect(stdout).toMatch(/^Git lock .*\.git\/packed-refs\.lock, 3\.0 h old: git fails while it is there\./m);
  expect(code).toBe(0);
  await access(lock);
});
