/** One session of a clumsy model in a real small project, in this process: everything is real but the model. */
import { execFile } from "node:child_process";
import { appendFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import type { RecordedEvent } from "@retinue/protocol";
import { createScriptedModel } from "@retinue/model/testing";
import { createMemoryLog } from "@retinue/store";
import { showRun } from "../../packages/retinue/src/cli/show-run.ts";
import { createSurroundings } from "../../packages/retinue/src/cli/surroundings.ts";
import { createRetinue } from "../../packages/retinue/src/create-retinue.ts";
import { DEFAULT_SETTINGS } from "../../packages/retinue/src/settings/settings.ts";
import { createClumsySpeaker } from "./clumsy-model.ts";
import type { Goal } from "./goal.ts";
import type { SeedPlan } from "./plan-seed.ts";

export type SeedOutcome = {
  readonly seed: number;
  readonly goal: string;
  readonly mistakes: readonly string[];
  readonly isMet: boolean;
  readonly exitCode: number;
  /** The exit code or the words at the end say that it was not done. */
  readonly isSaid: boolean;
  readonly modelCalls: number;
  /** Model calls of which at least one tool call was refused. */
  readonly refusedCalls: number;
  /** Of a model that follows refusals: how many there were, and after how many the next call was none. */
  readonly followed: number;
  readonly recovered: number;
  /** What was refused, in the words of the refusals. */
  readonly refusals: readonly string[];
};

export const runSeed = async (plan: SeedPlan): Promise<SeedOutcome> => {
  const { goal, temper } = plan;
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-clumsy-")));
  const folder = path.join(root, "project");
  try {
    await layOut(folder, goal);
    const speak = createClumsySpeaker({ ...plan, touch: (file) => appendFileSync(path.join(folder, file), "\n") });
    const model = createScriptedModel((request) => speak(request));
    const retinue = await createRetinue({
      model,
      workspace: folder,
      env: { PATH: process.env["PATH"], HOME: root, RETINUE_HOME: path.join(root, "home") },
      store: createMemoryLog(),
      settings: { ...DEFAULT_SETTINGS, approve: "all", allowUnsandboxed: true },
    });
    try {
      const { iterations } = plan;
      const run = await retinue.run(goal.task, iterations === undefined ? {} : { limits: { iterations } });
      const surroundings = createSurroundings({ stdin: Readable.from([]), stdout: sink(), stderr: sink(), env: {} });
      const effectOf = (tool: string) => retinue.tools.get(tool)?.effect;
      const exitCode = await showRun(run, { type: "quiet" }, { effectOf }, surroundings);
      const { details } = await run.result;
      const events = await retinue.events(run.sessionId);
      return {
        seed: plan.seed,
        goal: goal.name,
        mistakes: [...plan.mistakes.values(), ...plan.childMistakes.values()].map(({ name }) => name),
        isMet: await isMet(folder, goal),
        exitCode,
        isSaid: exitCode !== 0 || /could not|not met/.test(details),
        ...countRefusals(events, temper.stubbornness === 0),
      };
    } finally {
      await retinue.close();
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};

const sink = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

const layOut = async (folder: string, { files }: Goal): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
};

const isMet = (folder: string, { check: [file, ...args] }: Goal): Promise<boolean> =>
  new Promise((resolve) => {
    const program = file === "node" ? process.execPath : file;
    const env = { PATH: process.env["PATH"], PYTHONDONTWRITEBYTECODE: "1" };
    execFile(program, args, { cwd: folder, env, timeout: 60_000 }, (error) => resolve(error === null));
  });

type Counted = Pick<SeedOutcome, "modelCalls" | "refusedCalls" | "followed" | "recovered" | "refusals">;

/** A turn is refused where a call of it was answered without having been done. Commands and tests that end badly were done. */
const countRefusals = (events: readonly RecordedEvent[], isFollower: boolean): Counted => {
  const turns = new Map<string, boolean[]>();
  const refusals: string[] = [];
  for (const event of events) {
    if (event.type === "model.answered") turns.set(event.runId, [...(turns.get(event.runId) ?? []), false]);
    if (event.type !== "tool.settled" || event.aside !== undefined || event.outcome === "ok" || event.outcome === "cancelled")
      continue;
    const own = turns.get(event.runId);
    if (own) own[own.length - 1] = true;
    const [said] = event.content;
    refusals.push(`${event.tool}: ${said?.type === "text" ? said.text.slice(0, 300) : ""}`);
  }
  const all = [...turns.values()];
  const refused = all.flatMap((own) => own.flatMap((isRefused, at) => (isRefused ? [own[at + 1] === false] : [])));
  return {
    modelCalls: all.reduce((sum, own) => sum + own.length, 0),
    refusedCalls: refused.length,
    followed: isFollower ? refused.length : 0,
    recovered: isFollower ? refused.filter(Boolean).length : 0,
    refusals,
  };
};
