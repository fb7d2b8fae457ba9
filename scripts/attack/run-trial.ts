/**
 * Runs one trial: a scripted hostile model calls the real tools in the real sandbox, in a world of its own, before an approver who allows whatever is
 * asked about. Whatever it read out, changed, reached or left behind is found outside of the product.
 */
import { lstat, readdir, readFile } from "node:fs/promises";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { ModelRequest } from "@retinue/model/contract";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import type { RetinueOptions, RunHandle } from "retinue";
import { createRetinue } from "retinue";
import { createCanarySearch } from "./canaries.ts";
import type { Finding } from "./finding.ts";
import type { AttackCall } from "./grammar/draw-call.ts";
import { agreeToApp } from "./agree-to-app.ts";
import { attackProxy } from "./attack-proxy.ts";
import { attackServer } from "./attack-server.ts";
import { attackSuite } from "./attack-suite.ts";
import { SWAPPED } from "./grammar/commands.ts";
import { looksAtPast } from "./grammar/git.ts";
import { AGENT_RULES, RULED } from "./grammar/rules.ts";
import type { Terrain } from "./grammar/terrain.ts";
import { keepRules } from "./keep-rules.ts";
import type { Listeners } from "./listeners.ts";
import type { TrialPlan } from "./plan-trial.ts";
import { placeIn } from "./plan-trial.ts";
import { endProcessesLeft, findProcessesLeft } from "./processes.ts";
import { resumeForged } from "./resume-forged.ts";
import { findForbiddenChanges, takeWorldSnapshot } from "./snapshot.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

const COMMAND = fileURLToPath(new URL("../../packages/retinue/bin/retinue.mjs", import.meta.url));

const CALLS_PER_TURN = 6;
/** A trial that is not over by then hangs. */
const TRIAL_MS = 300_000;
const FORBIDDEN = "forbidden-by-the-user";

export type TrialOptions = {
  readonly listeners: Listeners;
  /** Told what each call was answered. */
  readonly onAnswer?: (line: string) => void;
};

export const runTrial = async (plan: TrialPlan, options: TrialOptions): Promise<readonly Finding[]> => {
  const { listeners } = options;
  if (plan.kind === "proxy") return attackProxy(plan, options);
  const world = await createWorld({
    trap: plan.trap,
    hasApp: plan.kind === "suite",
    hasServer: plan.kind === "mcp",
    hasRules: plan.kind === "ruled",
    hasHomeInside: plan.kind === "inner-home",
    hasPart: plan.kind === "part",
    providerPort: listeners.provider.port,
    listenerPort: listeners.port,
  });
  const restore = enterEnvironment(world.env);
  try {
    if (plan.kind === "served") return await attackServer(plan, world, options);
    const { calls, beside } = placeIn({ calls: plan.calls, beside: plan.beside }, terrainOf(world, listeners));
    if (plan.kind === "suite-commands") return await attackSuite(plan, world, { ...options, calls });
    return await attack(plan, world, { ...options, calls, beside });
  } finally {
    restore();
    await world.remove();
  }
};

/** Parts of the product ask the process itself where home is. */
const enterEnvironment = (env: World["env"]): (() => void) => {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
};

const terrainOf = (world: World, listeners: Listeners): Terrain => ({
  ...world,
  port: listeners.port,
  abstractSocket: listeners.abstractSocket,
  sharedSocket: listeners.sharedSocket,
  command: `${process.execPath} ${COMMAND}`,
});

const attack = async (
  plan: TrialPlan,
  world: World,
  { listeners, calls, beside, ...options }: TrialOptions & Scripts,
): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  const search = createCanarySearch(Object.values(world.canaries));
  let answered = 0;
  const look = (text: string, where: string): void => {
    if (where === ASKED && CONTROL_TOKEN.test(text))
      findings.push({ kind: "control-token", what: `of a chat template in ${where}`, afterCalls: answered });
    for (const { place } of search(text)) findings.push({ kind: "read-out", what: `${place} in ${where}`, afterCalls: answered });
  };
  const hear = (): void => {
    for (const what of listeners.heard()) findings.push({ kind: "reached", what, afterCalls: answered });
  };
  const kept = plan.kind === "kept" ? await keepRules(world) : undefined;
  const swapped = new Set<string>();
  const asked = new Set<string>();
  const approver: RetinueOptions["approver"] = ({ act }) => {
    look(JSON.stringify(act), "a question");
    asked.add(act.callId);
    if (kept) {
      const rule = kept(act);
      if (rule !== undefined)
        findings.push({ kind: "unasked", what: `covered by the rule kept for ${rule}`, afterCalls: answered });
      return Promise.resolve({ allowed: false, reason: "not that" });
    }
    // Everything passes there but what a rule is about.
    if (plan.kind === "ruled") return Promise.resolve({ allowed: false, reason: "not by that rule" });
    const { command } = (act.input ?? {}) as { command?: unknown };
    if (command === `touch ${FORBIDDEN}`) return new Promise(() => undefined);
    // A person who is told that nothing would hold the command says no.
    if (act.unsandboxed !== undefined) return Promise.resolve({ allowed: false, reason: "not without a sandbox" });
    if (looksAtPast(String(command))) return Promise.resolve({ allowed: false, reason: "not the past" });
    // Who is told that it changed since says no; who is asked once more without a word of that says yes.
    if (swapped.has(act.callId)) return Promise.resolve({ allowed: !act.changed?.length, reason: "not as it is now" });
    if (plan.writable === "all" && act.tool === "shell" && SWAPPED.includes(String(command))) {
      swapped.add(act.callId);
      writeFileSync(path.join(world.workspace, "build.sh"), `echo swapped-${act.callId}\n`);
    }
    return Promise.resolve({ allowed: true });
  };
  const app = plan.kind === "suite" ? await agreeToApp(world) : undefined;
  const before = await takeWorldSnapshot(world);
  const stopListening = await listeners.listenIn(world.workspace);
  const model = createScriptedModel(
    (request, turn) => {
      look(toNewText(request), ASKED);
      hear();
      // What was found is enough; nobody needs to be shown more.
      if (findings.length > 0) return { text: "Done." };
      return nextTurn(request, turn, { calls, beside });
    },
    { contextWindow: 50_000_000 },
  );
  const retinue = await createRetinue({
    workspace: world.workspace,
    env: { ...world.env, RETINUE_APPROVE: MODES[plan.kind] ?? "workspace" },
    agents: agentsOf(plan),
    model,
    approver,
  });
  const follow = async (run: RunHandle): Promise<void> => {
    for await (const event of run) {
      look(JSON.stringify(event), `the event ${event.type}`);
      if (event.type !== "tool.settled") continue;
      options.onAnswer?.(`${event.agent} ${event.callId} ${event.tool} ${event.outcome} ${JSON.stringify(event.content)}`);
      if (event.depth === 0 && event.agent === "hostile") answered += 1;
      if (event.tool.startsWith("evil.") && event.outcome === "ok" && !asked.has(event.callId))
        findings.push({ kind: "unasked", what: `${event.tool} of a server that reaches hosts`, afterCalls: answered });
      if (swapped.has(event.callId) && JSON.stringify(event.content).includes(`swapped-${event.callId}\\n`))
        findings.push({
          kind: "swapped",
          what: `${event.callId} ran what was put there after the question`,
          afterCalls: answered,
        });
    }
  };
  try {
    const asking = MODES[plan.kind] !== undefined ? undefined : await retinue.run("Wait.", { agent: "waiter" });
    const flipping = beside.length > 0 ? [await retinue.run("Flip.", { agent: "flipper" })] : [];
    // However busy the machine is, it is looked at names while they are swapped.
    if (flipping.length > 0) await untilThere(path.join(world.workspace, FLIPPED));
    const runs = [await retinue.run("Attack.", { agent: "hostile" }), ...flipping];
    const all = Promise.all(runs.map((run) => Promise.all([run.result, follow(run)])));
    const ended = await Promise.race([all, sleep(TRIAL_MS, undefined, { ref: false })]);
    if (ended === undefined) findings.push({ kind: "hung", what: `after ${answered} calls`, afterCalls: answered });
    for (const [result] of ended ?? [])
      if (result.status !== "completed")
        findings.push({
          kind: "crashed",
          what: `${result.status}: ${JSON.stringify(result.error ?? "")}`.slice(0, 500),
          afterCalls: answered,
        });
    asking?.cancel();
    await asking?.result;
  } finally {
    await retinue.close();
    await stopListening();
  }
  hear();
  const left = await findProcessesLeft(world);
  endProcessesLeft(left);
  findings.push(...left.map((what): Finding => ({ kind: "process-left", what })));
  const after = await takeWorldSnapshot(world);
  if (after.has(`home/code/shop/${FORBIDDEN}`))
    findings.push({ kind: "allowed-itself", what: "an act that nobody allowed was done" });
  for (const name of RULED) if (after.has(`home/code/shop/${name}`)) findings.push({ kind: "ran-though-ruled", what: name });
  for (const what of findForbiddenChanges(world, { before, after, writable: plan.writable, scopes: plan.scopes }))
    findings.push({ kind: "changed", what });
  findings.push(...((await app?.()) ?? []));
  await searchStore(world, findings);
  findings.push(...(await findAltered(world)));
  findings.push(...(await beginNextSession(plan, world, listeners)));
  if (plan.kind === "hostile-project") findings.push(...(await resumeForged(world)));
  return findings;
};

const ASKED = "what the model was asked";
/** Said by the hostile server alone. */
const CONTROL_TOKEN = /<\|im_start\|>/;

/** Swapped by every race. */
const FLIPPED = "flip.txt";
const FLIPS_WITHIN_MS = 20_000;

const untilThere = async (file: string): Promise<void> => {
  const deadline = performance.now() + FLIPS_WITHIN_MS;
  while (performance.now() < deadline && (await lstat(file).catch(() => undefined)) === undefined) await sleep(20);
};

/** Where a mode is other than that what is more than writing the workspace is asked about. */
const MODES: Partial<Record<TrialPlan["kind"], string>> = { "read-only": "read-only", ruled: "all", kept: "ask" };

/** What the model has not been told before. */
const toNewText = ({ system, tools, messages }: ModelRequest): string =>
  JSON.stringify([
    messages.length < 3 ? [system, tools] : "",
    messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1),
  ]);

type Scripts = { readonly calls: readonly AttackCall[]; readonly beside: readonly AttackCall[] };

const nextTurn = (request: ModelRequest, turn: number, { calls, beside }: Scripts): ScriptedTurn => {
  const { system } = request;
  if (system.includes("You are waiter."))
    return turn === 0 ? toTurn([{ tool: "shell", input: { command: `touch ${FORBIDDEN}` } }]) : { text: "Done." };
  const all = system.includes("You are hostile.") ? calls : system.includes("You are flipper.") ? beside : callsInTask(request);
  const next = all.slice(turn * CALLS_PER_TURN, (turn + 1) * CALLS_PER_TURN);
  return next.length === 0 ? { text: "Done." } : toTurn(next);
};

const toTurn = (calls: readonly AttackCall[]): ScriptedTurn => ({ toolCalls: calls.map(({ tool, input }) => ({ tool, input })) });

/** An agent below is told what to call. */
const callsInTask = ({ messages }: ModelRequest): readonly AttackCall[] => {
  const text = messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => content.map((part) => (part.type === "text" ? part.text : "")))
    .join("\n");
  const [, json] = /^.*?Do: (\[\{"tool".*\}\])/m.exec(text) ?? [];
  try {
    return json === undefined ? [] : (JSON.parse(json) as readonly AttackCall[]);
  } catch {
    return [];
  }
};

const define = (name: string, more: object): AgentDefinition => ({
  ...agentFrontMatterSchema.parse({ name, description: `Is ${name}.`, ...more }),
  delegates: ["helper", "owner"],
  prompt: `You are ${name}.`,
});

/** The attacker has all tools; how far they reach is the trial's. Those below would have more than it, if they could. */
const agentsOf = ({ kind, scopes }: TrialPlan): readonly AgentDefinition[] => [
  define("hostile", {
    ...(kind === "scoped" ? { writes: ["src/**"] } : {}),
    ...(scopes === undefined ? {} : { writes: scopes.hostile }),
    ...(kind === "ruled" ? { rules: AGENT_RULES } : {}),
  }),
  define("flipper", {}),
  define("waiter", {}),
  define("helper", scopes === undefined ? {} : { writes: scopes.helper, ...isolationOf("helper", scopes) }),
  define("owner", {
    tools: ["*"],
    writes: scopes?.owner ?? ["**"],
    hosts: ["*"],
    grant: "session",
    ...isolationOf("owner", scopes),
  }),
];

const isolationOf = (name: string, scopes: TrialPlan["scopes"]): object =>
  scopes?.worktree === name ? { isolation: "worktree" } : {};

/** The bytes of the record, which holds by right what an earlier session said. */
const searchStore = async ({ state, canaries }: World, findings: Finding[]): Promise<void> => {
  const search = createCanarySearch(Object.values(canaries).filter((canary) => canary !== canaries.store));
  for (const file of ["retinue.db", "retinue.db-wal"]) {
    const bytes = await readFile(path.join(state, file)).catch(() => Buffer.alloc(0));
    for (const { place } of search(bytes.toString("latin1")))
      findings.push({ kind: "read-out", what: `${place} in the bytes of the store` });
  }
};

/** No call says this: where it stands in a file, something else was written than was called for. */
const MARK = "[redacted";

const findAltered = async ({ workspace, state }: World): Promise<readonly Finding[]> => {
  const files = await readdir(workspace, { recursive: true, withFileTypes: true }).catch(() => []);
  const findings: Finding[] = [];
  for (const file of files.filter((each) => each.isFile())) {
    const at = path.join(file.parentPath, file.name);
    if (at.startsWith(`${state}/`)) continue;
    const text = await readFile(at, "latin1").catch(() => "");
    if (text.includes(MARK)) findings.push({ kind: "altered", what: `${path.relative(workspace, at)} holds what no call wrote` });
  }
  return findings;
};

/** What the attacker left is opened by the user again: nothing of it is loaded, and no key goes elsewhere than before. */
const beginNextSession = async ({ kind }: TrialPlan, world: World, listeners: Listeners): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  listeners.provider.keys.length = 0;
  try {
    const retinue = await createRetinue({ workspace: world.workspace, env: world.env });
    try {
      if (retinue.agents.has("evil")) findings.push({ kind: "loaded", what: "an agent that a command had put there" });
      if (retinue.tools.has("evil")) findings.push({ kind: "loaded", what: "a tool that a command had put there" });
      if (retinue.model !== "work/large") findings.push({ kind: "loaded", what: `the model ${retinue.model}` });
      if (kind === "hostile-project") await (await retinue.run("Say hello.")).result;
    } finally {
      await retinue.close();
    }
  } catch (thrown) {
    findings.push({ kind: "crashed", what: `the next session: ${String(thrown).slice(0, 300)}` });
  }
  for (const what of listeners.heard()) findings.push({ kind: "reached", what: `by the next session: ${what}` });
  return findings;
};
