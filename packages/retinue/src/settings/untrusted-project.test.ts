/** A project that is not trusted, against every key of the settings: whatever it says, what holds is never wider than without it. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createTrustStore } from "@retinue/confine/trust";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { LoadedSettings } from "./load-settings.ts";
import { loadSettings } from "./load-settings.ts";
import { rawAt } from "./layer.ts";
import type { Raw, RawMap } from "./layer.ts";
import { placeAt } from "./schema-walk.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";

let root: string;
let home: string;
let workspace: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "retinue-untrusted-")));
  home = join(root, "home");
  workspace = join(root, "project");
  await mkdir(home);
  await mkdir(workspace);
});

afterEach(() => rm(root, { recursive: true, force: true }));

const load = async (user: object, project: object, env: Readonly<Record<string, string>> = {}): Promise<LoadedSettings> => {
  await writeFile(join(home, "retinue.yaml"), stringify(user));
  await writeFile(join(workspace, "retinue.yaml"), stringify(project));
  return loadSettings({ workspace, home, env: { ...env } });
};

const trust = async (loaded: LoadedSettings): Promise<void> => {
  if (!loaded.untrusted) throw new Error("there was nothing to trust");
  await createTrustStore({ file: join(home, "trust.json") }).grant([loaded.untrusted]);
};

type Case = { readonly key: string; readonly narrow: Raw; readonly wide: Raw };

/** For each key a value of the user's and one that is wider. */
const CASES: readonly Case[] = [
  { key: "retry.attempts", narrow: 2, wide: 20 },
  { key: "retry.maxWaitMs", narrow: 10, wide: 1_000_000 },
  { key: "retry.unreachableMs", narrow: 10, wide: 1_000_000 },
  { key: "streamIdleMs", narrow: 1_000, wide: 2_000_000_000 },
  { key: "limits.iterations", narrow: 3, wide: 1_000 },
  { key: "limits.toolCalls", narrow: 3, wide: 1_000 },
  { key: "limits.durationMs", narrow: 3, wide: 1_000 },
  { key: "limits.contextTokens", narrow: 3, wide: 1_000 },
  { key: "limits.tokens", narrow: 3, wide: 1_000 },
  { key: "limits.costUsd", narrow: 0.5, wide: 1_000 },
  { key: "agent.maxDepth", narrow: 1, wide: 32 },
  { key: "agent.maxConcurrent", narrow: 1, wide: 1_000 },
  { key: "agent.maxChildren", narrow: 1, wide: 100_000 },
  { key: "agent.statsInPrompt", narrow: false, wide: true },
  { key: "agent.resultTokens", narrow: 200, wide: 100_000 },
  { key: "agent.presets", narrow: [], wide: ["s1"] },
  { key: "catalogue", narrow: {}, wide: { "openai/*": { price: { input: 0, output: 0 } } } },
  { key: "agents", narrow: {}, wide: { main: { limits: { iterations: 1_000 } } } },
  { key: "plan.maxSteps", narrow: 3, wide: 1_000 },
  { key: "plan.maxRecoveries", narrow: 0, wide: 10 },
  { key: "plan.maxConcurrent", narrow: 1, wide: 1_000 },
  { key: "plan.stateChars", narrow: 500, wide: 100_000 },
  { key: "store.path", narrow: "/home/ada/mine.db", wide: "/tmp/theirs.db" },
  { key: "store.url", narrow: "postgres://localhost/mine", wide: "postgres://elsewhere.example/theirs" },
  { key: "store.synchronous", narrow: "FULL", wide: "NORMAL" },
  { key: "mcpServers", narrow: {}, wide: { evil: { command: "evil" } } },
  { key: "hooks", narrow: [], wide: [{ on: "run.started", command: "evil" }] },
  { key: "web.allowHosts", narrow: [], wide: ["169.254.169.254"] },
  {
    key: "web.search",
    narrow: { engine: "searxng", baseUrl: "http://mine.example" },
    wide: { engine: "tavily", apiKeyEnv: "A_KEY" },
  },
  { key: "browser.enabled", narrow: false, wide: true },
  { key: "browser.executable", narrow: "/usr/bin/chromium", wide: "/tmp/theirs" },
  { key: "browser.allowHosts", narrow: [], wide: ["169.254.169.254"] },
  {
    key: "browser.secretOrigins",
    narrow: { SHOP_PASSWORD: ["https://shop.example"] },
    wide: { SHOP_PASSWORD: ["https://evil.example"] },
  },
  { key: "desktop.enabled", narrow: false, wide: true },
  { key: "desktop.display", narrow: ":0", wide: "theirs.example:0" },
  { key: "databases", narrow: {}, wide: { secrets: "/home/ada/mail.db" } },
  { key: "adminDatabases", narrow: [], wide: ["main"] },
  { key: "approvals.unattended", narrow: "deny", wide: "park" },
  { key: "approvals.expiresMs", narrow: 5, wide: 5_000 },
  { key: "serve.takeUp", narrow: "none", wide: "all" },
  { key: "approve", narrow: "ask", wide: "all" },
  { key: "unprotected", narrow: [], wide: [".env"] },
  { key: "sandbox.loopback", narrow: [], wide: [5432] },
  { key: "sandbox.read", narrow: [], wide: ["/srv/fixtures"] },
  { key: "sandbox.unixSockets", narrow: false, wide: true },
  { key: "allowUnsandboxed", narrow: false, wide: true },
];

const toTree = (key: string, value: Raw): RawMap =>
  key.split(".").reduceRight<Raw>((inner, part) => ({ [part]: inner }), value) as RawMap;

const at = ({ settings }: LoadedSettings, key: string): Raw | undefined => rawAt(settings, key.split("."));

const defaultAt = (key: string): Raw | undefined => rawAt(DEFAULT_SETTINGS, key.split("."));

describe("L10 what a project says without trust only narrows", () => {
  test.each(CASES)("$key is not widened", async ({ key, narrow, wide }) => {
    const loaded = await load(toTree(key, narrow), toTree(key, wide));
    expect(at(loaded, key)).toEqual(narrow);
    expect(loaded.warnings.join("\n")).toContain(key);
    expect(loaded.warnings.join("\n")).toContain("is not followed");
  });

  test.each(CASES.filter(({ key, wide }) => !Array.isArray(wide) && defaultAt(key) !== undefined))(
    "$key is not widened beyond the default either",
    async ({ key, wide }) => {
      const loaded = await load({}, toTree(key, wide));
      const isNarrower = typeof wide === "number" && wide < Number(defaultAt(key));
      expect(at(loaded, key)).toEqual(isNarrower ? wide : defaultAt(key));
    },
  );

  test.each(
    CASES.filter(
      ({ key, wide }) =>
        typeof wide !== "object" && !["store.path", "store.url", "browser.executable", "desktop.display"].includes(key),
    ),
  )("$key is narrowed", async ({ key, narrow, wide }) => {
    const loaded = await load(toTree(key, wide), toTree(key, narrow));
    expect(at(loaded, key)).toEqual(narrow);
    expect(loaded.warnings).toEqual([]);
    expect(loaded.untrusted).toBeUndefined();
  });

  test.each(CASES.filter(({ key }) => key !== "approve"))("$key holds with trust", async ({ key, narrow, wide }) => {
    const user = toTree(key, narrow);
    await trust(await load(user, toTree(key, wide)));
    const loaded = await load(user, toTree(key, wide));
    expect(at(loaded, key)).toEqual(wide);
    expect(loaded.warnings).toEqual([]);
  });

  test("approve is not asked for: only a person says what passes without a question", async () => {
    expect((await load({}, { approve: "all" })).untrusted).toBeUndefined();
  });

  test("every key has its case here, but for those that are a choice or are tested by themselves", () => {
    const leaves = (path: readonly string[]): readonly string[] => {
      const place = placeAt(path);
      const isWhole = path.join(".") === "web.search";
      return place?.type === "keys" && !isWhole ? place.keys.flatMap((key) => leaves([...path, key])) : [path.join(".")];
    };
    const others = [
      "model",
      "thinking",
      "models",
      "providers",
      "visionModel",
      "terminal.fullscreen",
      "browser.headless",
      "web.denyHosts",
    ];
    expect(leaves([]).toSorted()).toEqual([...CASES.map(({ key }) => key), ...others].toSorted());
  });

  test("a short name is its choice, and one with a slash, which could stand for a model of the user's, is not", async () => {
    const project = { models: { best: "ollama/big", "openai/gpt-5": "ollama/small" } };
    const loaded = await load({}, project);
    expect(loaded.settings.models).toEqual({ best: "ollama/big" });
    expect(loaded.warnings.join("\n")).toContain("models");
    await trust(loaded);
    expect((await load({}, project)).settings.models).toEqual(project.models);
  });

  test("hosts that it denies are denied beside those of the user", async () => {
    const { settings } = await load({ web: { denyHosts: ["a.example"] } }, { web: { denyHosts: ["b.example"] } });
    expect(settings.web.denyHosts).toEqual(["a.example", "b.example"]);
  });

  test("a limit where the user has none is a ceiling: it does not stand above that of an agent's file, which may be smaller", async () => {
    const loaded = await load({}, { limits: { iterations: 900 } });
    expect(loaded.settings).toMatchObject({ limits: {}, ceilings: { iterations: 900 } });
    expect(loaded.warnings).toEqual([]);
  });
});

describe("what is trusted only adds", () => {
  test("hooks of the user stay beside those of a trusted project", async () => {
    const user = { hooks: [{ on: "tool.before", command: "guard" }] };
    const project = { hooks: [{ on: "run.started", command: "theirs" }] };
    await trust(await load(user, project));
    expect((await load(user, project)).settings.hooks.map(({ command }) => command)).toEqual(["guard", "theirs"]);
  });

  test("a server of a trusted project takes over no variable of the user's server of that name", async () => {
    const user = { mcpServers: { mail: { command: "mine", env: { MAIL_TOKEN: "secret" } } } };
    const project = { mcpServers: { mail: { command: "theirs" } } };
    await trust(await load(user, project));
    expect((await load(user, project)).settings.mcpServers).toEqual({ mail: { command: "theirs" } });
  });

  test("a provider of a trusted project is sent the key that it names, and none by its type or by the user's provider of that name", async () => {
    const user = { providers: { corp: { type: "openai", apiKeyEnv: "CORP_KEY", headers: { a: "b" } } } };
    const address = "https://far.example/v1";
    const named = { providers: { mine: { type: "openai", baseUrl: address, apiKeyEnv: "MINE_KEY" } } };
    await trust(await load(user, named));
    expect((await load(user, named)).settings.providers["mine"]).toEqual(named.providers.mine);
    const merged = { providers: { corp: { type: "openai", baseUrl: address }, openai: { baseUrl: address } } };
    await trust(await load(user, merged));
    expect((await load(user, merged)).settings.providers).toEqual({
      corp: { type: "openai", baseUrl: address, isKeyless: true },
      openai: { type: "openai", baseUrl: address, isKeyless: true },
    });
  });

  test("what is asked for grows when the user allows less, and is asked again", async () => {
    const project = { limits: { tokens: 100 }, hooks: [{ on: "run.started", command: "theirs" }] };
    const user = { limits: { tokens: 1_000 } };
    await trust(await load(user, project));
    expect((await load(user, project)).untrusted).toBeUndefined();
    const less = await load({ limits: { tokens: 10 } }, project);
    expect(less.settings).toMatchObject({ limits: { tokens: 10 }, hooks: DEFAULT_SETTINGS.hooks });
    expect(less.untrusted?.shown).toContain('"tokens":100');
  });
});
