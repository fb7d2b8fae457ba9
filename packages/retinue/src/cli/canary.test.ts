// @module-tag long
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MockReply, MockServer } from "@retinue/model/testing";
import { startMockServer } from "@retinue/model/testing";
import { callRetinue } from "./testing/call-retinue.ts";
import { call } from "./testing/mock-project.ts";
import type { Ended, Project } from "./testing/spawn-retinue.ts";
import { createProject, WITHOUT_SANDBOX } from "./testing/spawn-retinue.ts";

const canary = (name: string): string => `cnry${name}${randomBytes(12).toString("hex")}`;

/** Where each secret lies. */
const CANARIES = {
  openai: canary("openai"),
  github: canary("github"),
  provider: canary("provider"),
  looks: `sk-${canary("looks")}`,
  header: canary("header"),
  server: canary("server"),
  ssh: Buffer.from(canary("ssh").repeat(2)).toString("base64").replaceAll("=", ""),
  aws: canary("aws"),
  netrc: canary("netrc"),
  dotenv: canary("dotenv"),
} as const;

/** A canary however it is written; found without any code of ours. */
const toForms = (secret: string): readonly string[] => {
  const inBase64 = ["", "x", "xy"].map((before) =>
    Buffer.from(before + secret)
      .toString("base64")
      .slice(before === "" ? 0 : 4, -4),
  );
  const hex = Buffer.from(secret).toString("hex");
  return [secret, encodeURIComponent(secret), hex, ...inBase64].map((form) => form.toLowerCase());
};

/** The names of the canaries in some bytes, and what they were found by. */
const canariesIn = (bytes: string): readonly string[] => {
  const text = bytes.toLowerCase();
  return Object.entries(CANARIES).flatMap(([name, secret]) =>
    toForms(secret).some((form) => text.includes(form)) ? [name] : [],
  );
};

const readAll = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const files = new Map<string, string>();
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) {
      const file = path.join(entry.parentPath, entry.name);
      files.set(path.relative(folder, file), (await readFile(file)).toString("latin1"));
    }
  return files;
};

const EVERYTHING = path.join(
  path.dirname(createRequire(fileURLToPath(import.meta.url)).resolve("@modelcontextprotocol/server-everything/package.json")),
  "dist/index.js",
);

/** Inside a sandbox the temporary folders of the machine are others: a checkout that lies in one has no programs there. */
const WAIVED = [tmpdir(), "/tmp"].some((folder) => EVERYTHING.startsWith(folder + path.sep)) ? ", sandbox: false" : "";

const LEAK = `
import { z } from "zod";
export const leak = {
  name: "leak", description: "Leaks.", input: z.object({ how: z.string() }), effect: "read", repeatable: true, timeoutMs: 10000, selfPaced: false,
  touches: () => ({}),
  execute: async ({ how }, { progress }) => {
    const key = process.env.OPENAI_API_KEY;
    progress(key.slice(0, 9)); progress(key.slice(9));
    if (how === "throw") throw new Error("the key is " + key);
    if (how === "base64") return Buffer.from("key=" + key + "\\n").toString("base64");
    if (how === "long") return (key + "\\n").repeat(2000);
    return { content: [{ type: "text", text: JSON.stringify({ key, url: "http://h/?k=" + encodeURIComponent(key) }) }], files: { modified: [key], created: [] } };
  },
};
`;

const COMMANDS = [
  "env; printenv",
  "cat .env ~/.ssh/* ~/.aws/credentials ~/.netrc ~/retinue.yaml",
  "cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'",
  'printf %s "$OPENAI_API_KEY$GITHUB_TOKEN" | base64; base64 -w0 ~/.aws/credentials; base64 ~/.netrc; xxd -p ~/.netrc | tr -d "\\n"',
  "for file in $(find / -xdev -maxdepth 6 -name credentials -o -xdev -name .netrc 2>/dev/null | head -20); do cat $file; done",
];

type Rig = { readonly project: Project; readonly server: MockServer; readonly env: Readonly<Record<string, string>> };

/** The files in which the canaries were planted, relative to the folder of all. */
const PLANTED = ["home/retinue.yaml", "home/.ssh/id_ed25519", "home/.aws/credentials", "home/.netrc", "project/.env"];

const createRig = async (): Promise<Rig> => {
  const replies: readonly MockReply[] = [
    { toolCalls: COMMANDS.map((command) => call("shell", { command })) },
    {
      toolCalls: [
        ...[".env", "../home/.aws/credentials", "../home/.netrc", "../home/retinue.yaml"].map((file) =>
          call("read", { path: file }),
        ),
        call("grep", { pattern: "cnry", path: "." }),
        ...["tell", "throw", "base64", "long"].map((how) => call("leak", { how })),
        call("every.get-env", {}),
        call("write", { path: "notes.txt", content: `my key is ${CANARIES.provider}` }),
      ],
    },
    // A server that knows the key says it, in pieces of a few characters.
    { text: `Your key is ${CANARIES.provider}, in base64 ${Buffer.from(CANARIES.provider).toString("base64")}.` },
  ];
  const server = await startMockServer({
    reply: ({ headers, index }) =>
      replies[index] ?? {
        fault: {
          type: "status",
          status: 400,
          body: { error: { message: `refused ${JSON.stringify(headers)} ${CANARIES.openai}` } },
        },
      },
  });
  const project = await createProject();
  const at = async (file: string, text: string): Promise<void> => {
    const where = path.join(project.workspace, "..", file);
    await mkdir(path.dirname(where), { recursive: true });
    await writeFile(where, text);
  };
  await at(
    "home/retinue.yaml",
    [
      "model: local/any-name",
      "retry: { attempts: 1 }",
      `providers: { local: { type: openai-compatible, baseUrl: "${server.baseUrl}", apiKeyEnv: LOCAL_PROVIDER_KEY, headers: { X-Tenant: "${CANARIES.header}" } } }`,
      `mcpServers: { every: { command: "${process.execPath}", args: ["${EVERYTHING}", "stdio"], env: { MY_TOKEN: "${CANARIES.server}" }${WAIVED} } }`,
      "hooks:",
      "  - { on: tool.before, command: 'cat >> heard-before.txt; env >> heard-before.txt' }",
      "  - { on: tool.after, command: 'cat >> heard-after.txt; env' }",
      "  - { on: run.settled, command: 'cat >> heard-settled.txt; env >> heard-settled.txt' }",
      "",
    ].join("\n"),
  );
  const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${CANARIES.ssh}\n-----END OPENSSH PRIVATE KEY-----\n`;
  await at("home/.ssh/id_ed25519", key);
  await at("home/.aws/credentials", `[default]\naws_secret_access_key = ${CANARIES.aws}\n`);
  await at("home/.netrc", `machine a.example login me password ${CANARIES.netrc}\n`);
  await at("home/tools/leak.ts", LEAK);
  await at("project/.env", `SERVICE_TOKEN=${CANARIES.dotenv}\n`);
  const { openai, github, provider, looks } = CANARIES;
  return {
    project,
    server,
    env: { OPENAI_API_KEY: openai, GITHUB_TOKEN: github, LOCAL_PROVIDER_KEY: provider, HARMLESS: looks },
  };
};

const TITLE = "C6 secrets of the environment, of settings and of a home, on a machine";

describe(`${TITLE} with the sandbox of this machine`, () => holdNoCanary([]));
describe(`${TITLE} without a sandbox`, { tags: ["long"] }, () => holdNoCanary(WITHOUT_SANDBOX));

function holdNoCanary(by: readonly string[]): void {
  let rig: Rig;
  let ended: Ended;
  let failed: Ended;

  beforeAll(async () => {
    rig = await createRig();
    const words = ["run", "--approve", "all", "--json", "--record", "cassette.jsonl", "show me all secrets"];
    ended = await rig.project.run(words, { env: rig.env, by });
    // C8: the provider echoes the headers of the request that it refuses.
    failed = await rig.project.run(["run", "--approve", "all", `once more, with ${CANARIES.github}`], { env: rig.env, by });
  }, 240_000);

  afterAll(async () => {
    await rig.server.close();
    await rig.project.remove();
  });

  test("the runs did what was asked of them", () => {
    expect(ended.code, ended.stderr).toBe(0);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("model_bad_request");
    const outcomes = ended.stdout
      .split("\n")
      .flatMap((line) => (line.includes('"tool.settled"') ? [(JSON.parse(line) as { outcome: string }).outcome] : []));
    expect(outcomes.filter((outcome) => outcome === "ok").length).toBeGreaterThan(8);
    // The server of tools has been given what its entry names, and no more.
    const told = ended.stdout.split("\n").find((line) => line.includes('"tool.settled"') && line.includes('"every.get-env"'));
    expect(told).toMatch(/MY_TOKEN[^,]*\[redacted\]/);
    expect(told).not.toMatch(/GITHUB_TOKEN|OPENAI_API_KEY|LOCAL_PROVIDER_KEY/);
  });

  test("the search finds every canary where it was planted", async () => {
    const files = await readAll(path.dirname(rig.project.workspace));
    const planted = PLANTED.map((file) => files.get(file) ?? "").join("\n");
    const sources = canariesIn([planted, ...Object.values(rig.env)].join("\n"));
    expect(sources).toEqual(Object.keys(CANARIES));
    expect(canariesIn(Buffer.from(`key=${CANARIES.aws}\n`).toString("base64"))).toEqual(["aws"]);
  });

  test("no file that was written holds one: record, index, artifacts, cassette, what hooks heard", async () => {
    const files = await readAll(path.dirname(rig.project.workspace));
    for (const name of [
      "home/retinue.db",
      "project/cassette.jsonl",
      "project/heard-after.txt",
      "project/heard-before.txt",
      "project/heard-settled.txt",
    ])
      expect([...files.keys()], name).toContain(name);
    // What held a secret was refused, not written with something else in its place.
    expect([...files.keys()]).not.toContain("project/notes.txt");
    const found = [...files].flatMap(([file, bytes]) =>
      PLANTED.includes(file) ? [] : canariesIn(bytes).map((name) => `${name} in ${file}`),
    );
    expect(found).toEqual([]);
  });

  test("no output to a terminal or a pipe holds one", () => {
    for (const output of [ended.stdout, ended.stderr, failed.stdout, failed.stderr]) expect(canariesIn(output)).toEqual([]);
  });

  test("no streamed text put together holds one", () => {
    const texts = new Map<string, string>();
    for (const line of ended.stdout.trim().split("\n")) {
      const event = JSON.parse(line) as {
        readonly type: string;
        readonly text?: string;
        readonly kind?: string;
        readonly callId?: string;
      };
      const key = `${event.type} ${event.kind ?? event.callId ?? ""}`;
      if (event.type === "model.delta" || event.type === "tool.progress")
        texts.set(key, (texts.get(key) ?? "") + (event.text ?? ""));
    }
    expect(texts.size).toBeGreaterThan(2);
    for (const [key, text] of texts) expect(canariesIn(text), key).toEqual([]);
  });

  test("no request to the provider holds one in its body", () => {
    expect(rig.server.requests.length).toBeGreaterThan(3);
    for (const { text, headers } of rig.server.requests) {
      expect(canariesIn(text)).toEqual([]);
      expect(headers.authorization).toBe(`Bearer ${CANARIES.provider}`);
    }
  });

  test("no view of the record, and no export, holds one", async () => {
    const commands = [
      ["sessions", "list", "--json"],
      ["sessions", "show", "latest", "--messages"],
      ["sessions", "export", "latest"],
      ["sessions", "export", "latest", "--format", "json"],
      ["replay", "latest"],
      ["doctor"],
      ["doctor", "--json"],
    ];
    for (const words of commands) {
      // In surroundings that know no secret, so that nothing is left to the printing.
      const shown = await callRetinue(rig.project, words);
      expect(canariesIn(shown.stdout + shown.stderr), words.join(" ")).toEqual([]);
    }
  });
}
