/**
 * Builds, packs and installs the package in an empty folder and uses it as somebody would who has no checkout: the command, its threads and
 * processes, grammars, agents and settings, a tool of one's own, and the library with its types.
 */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readBuiltinFiles } from "../packages/agents/src/builtin-agents.ts";
import { startMockServer } from "../packages/model/src/testing/mock-server.ts";
import { buildPackage } from "./build/build-package.ts";
import { installPackage } from "./build/install-package.ts";
import { toHermeticEnvironment } from "./hermetic-environment.ts";
import { tryCommandLines } from "./readme/try-command-lines.ts";
import { runNode } from "./run-node.ts";

type Line = { readonly type: string; readonly tool?: string; readonly outcome?: string; readonly output?: unknown };

const root = path.dirname(import.meta.dirname);
const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "retinue-package-")));
const [built, app, home] = ["built", "app", "home"].map((name) => path.join(scratch, name)) as [string, string, string];

const LIBRARY = `import { createClient, createRetinue, defineAgent, defineTool, openServer, type RunResult } from "retinue";
import { createScriptedModel } from "retinue/testing";
import { z } from "zod";

const twice = defineTool({
  name: "twice",
  description: "Twice a number.",
  input: z.object({ number: z.number().describe("the number") }),
  effect: "read",
  execute: ({ number }) => \`\${number * 2}\`,
});
const retinue = await createRetinue({ model: "offline/rules", tools: [twice], env: {} });
const run = await retinue.run("where is parsePrice handled?");
const result: RunResult = await run.result;
// @ts-expect-error The types are there, and this is no status.
const wrong: "no status" = result.status;
await retinue.close();
const server = await openServer({ folders: [process.cwd()] });
const { workspaces } = await createClient(server).listWorkspaces();
await server.close();

const pricing = defineAgent({ name: "pricing", description: "Prices.", prompt: "You price.", output: z.object({ cents: z.number() }) });
const model = createScriptedModel([{ text: '{"cents": 3}' }]);
const typed = await createRetinue({ model, agents: [pricing], env: {} });
const priced = await (await typed.run("price?", { agent: pricing })).result;
const cents: number | undefined = priced.output?.cents;
// @ts-expect-error It is a number.
const noNumber: string | undefined = priced.output?.cents;
await typed.close();
console.log(JSON.stringify({ wrong, noNumber, cents, details: result.details, tools: [...retinue.tools.keys()], served: workspaces.length }));

// Whoever exports what the library gives can name the types of it.
export const surface = { retinue, run, result, server, pricing, model, typed, priced, view: retinue.sessions, live: retinue.live };
`;

/** With everything that we ship being checked, too. */
const toConfig = (resolution: "nodenext" | "bundler"): string =>
  JSON.stringify({
    compilerOptions: {
      strict: true,
      module: resolution === "nodenext" ? "nodenext" : "esnext",
      moduleResolution: resolution,
      target: "es2024",
      declaration: true,
      emitDeclarationOnly: true,
      outDir: `types-${resolution}`,
      skipLibCheck: false,
      types: ["node"],
      typeRoots: [path.join(root, "node_modules/@types")],
    },
    files: ["library.ts"],
  });

const FILES: Readonly<Record<string, string>> = {
  "src/price.ts": "/** A price. */\nexport const parsePrice = (text: string): number => Number(text);\n",
  "src/cart.py": "def total(prices):\n    return sum(parse_price(price) for price in prices)\n",
  "library.ts": LIBRARY,
  "nodenext.json": toConfig("nodenext"),
  "bundler.json": toConfig("bundler"),
};

const writeFiles = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
};

/** Gives what it printed; one that fails says all. */
const runInApp = async (args: readonly string[], timeoutMs = 180_000): Promise<string> => {
  const env = toHermeticEnvironment(process.env, home);
  const { exitCode, output } = await runNode({ args, cwd: app, env, output: "captured", timeoutMs, group: true });
  assert.equal(exitCode, 0, `${args.join(" ")} ended with ${exitCode}:\n${output}`);
  return output;
};

/** Every tool that reads a file of ours, or starts a thread or a process from one. */
const tryTools = async (retinue: string): Promise<void> => {
  const page = createServer((_request, response) => {
    response
      .setHeader("content-type", "text/html")
      .end("<title>Prices</title><article><h1>Prices</h1><p>All in cents.</p></article>");
  });
  await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
  const { port } = page.address() as AddressInfo; // A TCP server's address is never a string.
  const calls = [
    { name: "code_search", input: { query: "parsePrice", kind: "definitions" }, gives: "src/price.ts:2" },
    { name: "query_db", input: { database: "shop", sql: "select name from goods" }, gives: "quince" },
    { name: "web_fetch", input: { url: `http://127.0.0.1:${port}/` }, gives: "All in cents." },
    { name: "greet", input: { whom: "you" }, gives: "Hello, you." },
  ];
  const server = await startMockServer({
    replies: [
      { toolCalls: calls.map(({ name, input }) => ({ name, arguments: JSON.stringify(input) })) },
      { text: "All four answered." },
    ],
  });
  try {
    const shop = path.join(scratch, "shop.db");
    const database = new DatabaseSync(shop);
    database.exec("create table goods (name text); insert into goods values ('quince')");
    database.close();
    writeFiles(path.join(home, ".retinue"), {
      "retinue.yaml": [
        "model: local/any",
        `providers: { local: { type: openai-compatible, baseUrl: "${server.baseUrl}" } }`,
        `databases: { shop: ${JSON.stringify(shop)} }`,
        `web: { allowHosts: ["127.0.0.1:${port}"] }`,
      ].join("\n"),
      "tools/greet.ts": [
        'import { defineTool } from "retinue";',
        'import { z } from "zod";',
        "export const greet = defineTool({",
        '  name: "greet", description: "Greets.", effect: "read",',
        '  input: z.object({ whom: z.string().describe("whom to greet") }),',
        "  execute: ({ whom }) => `Hello, ${whom}.`,",
        "});",
      ].join("\n"),
      "agents/clerk.md": "---\nname: clerk\ndescription: Knows the shop.\n---\nAnswer.\n",
    });
    const output = await runInApp([retinue, "run", "--agent", "clerk", "--approve", "all", "--json", "what is there?"]);
    const settled = output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line)
      .filter(({ type }) => type === "tool.settled");
    for (const { name, gives } of calls) {
      const found = settled.find(({ tool }) => tool === name);
      assert.equal(found?.outcome, "ok", `${name}: ${JSON.stringify(found)}`);
      assert.ok(JSON.stringify(found).includes(gives), `${name} gives ${JSON.stringify(found)}`);
    }
    assert.match(server.requests[0]?.text ?? "", /whom to greet/, "the schema of the tool of one's own was not told whole");
  } finally {
    await server.close();
    page.close();
    rmSync(path.join(home, ".retinue/retinue.yaml"), { force: true });
  }
};

/** The package runs on an older Node where a newer one is installed beside it. */
const lendNewerNode = (): void => {
  const name = `node-${process.platform}-${process.arch}`;
  const lent = path.join(root, "toolchain/node_modules", name);
  if (existsSync(lent)) symlinkSync(lent, path.join(app, "node_modules", name));
};

try {
  const { code, bytes } = await buildPackage({ root, folder: built });
  mkdirSync(home);
  const installed = installPackage({ root, built, app });
  const retinue = path.join(installed, "bin/retinue.mjs");
  writeFiles(app, { ...FILES, "package.json": JSON.stringify({ type: "module", private: true }) });

  assert.match(await runInApp([retinue, "--version"]), /^\d+\.\d+\.\d+\n$/);
  const listed = JSON.parse(await runInApp([retinue, "agents", "list", "--json"])) as { readonly agents: { name: string }[] };
  const builtins = await readBuiltinFiles();
  assert.deepEqual(listed.agents.map(({ name }) => name).toSorted(), [...builtins.keys()].toSorted());
  const shown = JSON.parse(await runInApp([retinue, "agents", "show", "code-search", "--json"])) as { readonly agent: object };
  assert.deepEqual(shown.agent, JSON.parse(JSON.stringify(builtins.get("code-search")?.definition)));
  const { ripgrep } = JSON.parse(await runInApp([retinue, "doctor", "--json"])) as { readonly ripgrep: { version?: string } };
  assert.match(ripgrep.version ?? "", /^\d+\./, JSON.stringify(ripgrep));
  const answer = await runInApp([retinue, "run", "--model", "offline/rules", "where is parsePrice handled?"]);
  assert.match(answer, /code-search: starts with offline\/rules/);
  assert.match(answer, /src\/price\.ts:2/);
  await runInApp([retinue, "init"]);
  await runInApp([retinue, "test", "init", "cases"]);
  await tryTools(retinue);
  const told = JSON.parse(await runInApp(["library.ts"])) as {
    readonly details: string;
    readonly tools: readonly string[];
    readonly served: number;
    readonly cents: number;
  };
  assert.equal(told.served, 1);
  assert.equal(existsSync(path.join(installed, "web/index.html")), existsSync(path.join(root, "packages/web/vite.config.ts")));
  assert.match(told.details, /src\/price\.ts:2/);
  assert.ok(told.tools.includes("twice"));
  assert.equal(told.cents, 3);
  for (const config of ["nodenext.json", "bundler.json"])
    await runInApp([path.join(root, "node_modules/typescript/bin/tsc"), "-p", config], 600_000);
  lendNewerNode();
  const problems = await tryCommandLines({ root, retinue, report: (text) => console.log(text) });
  assert.deepEqual(problems, [], problems.join("\n\n"));
  console.log(`the package works: ${code.length} files of code, ${Math.round(bytes / 1024)} KB`);
} catch (thrown) {
  // What was tried is kept for a look where that is asked for.
  if (process.env["RETINUE_KEEP"] === "1")
    cpSync(scratch, path.join(root, "node_modules/.cache/package-trial"), { recursive: true });
  throw thrown;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
