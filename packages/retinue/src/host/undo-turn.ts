/**
 * Takes back what the latest turn of a session changed in files, and everything that agents below it changed. Nothing is written before a person has seen the
 * plan; changes that were made by commands are named, and left.
 */
import type { RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { KeptVersions, TakeBackPlan } from "@retinue/tools";
import { planTakeBack, takeBack } from "@retinue/tools";

export type UndoPlan = TakeBackPlan & {
  /** What was asked for in the turn. */
  readonly task: string;
};

export type Undone = Awaited<ReturnType<typeof takeBack>>;

export type TurnUndo = {
  /** Of the latest turn that left changes which still stand; undefined where none has. Throws `session_running` while one works. */
  readonly plan: (sessionId: SessionId) => Promise<UndoPlan | undefined>;
  /** A file that is no longer as it was planned for is left as it is and named. */
  readonly carryOut: (plan: UndoPlan) => Promise<Undone>;
};

const UNKEPT = "a command changed it, and what stood in it before was not kept; git diff shows what it changed";

export type TurnUndoOptions = {
  readonly versions: KeptVersions;
  readonly folder: string;
  readonly events: (sessionId: SessionId) => Promise<readonly RecordedEvent[]>;
};

export const createTurnUndo = ({ versions, folder, events }: TurnUndoOptions): TurnUndo => ({
  plan: async (sessionId) => {
    const turns = toTurns(await events(sessionId), folder);
    if (turns.some(({ isSettled }) => !isSettled))
      throw new RetinueError("session_running", "A turn is still at work, so that its changes cannot be taken back yet.", {
        hint: "Stop it first, or wait until it is done.",
      });
    const kept = new Set(
      (await versions.changes(sessionId)).filter(({ workspace }) => workspace === folder).map(({ file }) => file),
    );
    const left: { file: string; reason: string }[] = [];
    for (const { task, runs, changed } of turns.toReversed()) {
      const { files, refused } = await planTakeBack({ versions, sessionId, workspace: folder, runs });
      for (const file of changed)
        if (!kept.has(file) && !left.some((one) => one.file === file)) left.push({ file, reason: UNKEPT });
      if (files.length > 0 || refused.length > 0) return { task, files, refused: [...refused, ...left] };
    }
    return left.length === 0 ? undefined : { task: turns.at(-1)?.task ?? "", files: [], refused: left };
  },
  carryOut: (plan) => takeBack(plan, folder),
});

type TurnChanges = {
  readonly task: string;
  readonly runs: Set<RunId>;
  /** Measured, in the folder itself. */
  readonly changed: Set<string>;
  isSettled: boolean;
};

/** The turns of a session, with all that worked below each. */
const toTurns = (events: readonly RecordedEvent[], folder: string): readonly TurnChanges[] => {
  const turns: TurnChanges[] = [];
  const turnOf = new Map<RunId, TurnChanges>();
  const elsewhere = new Set<RunId>();
  for (const event of events) {
    if (event.type === "run.requested") {
      const above = event.parentRunId === null ? undefined : turnOf.get(event.parentRunId);
      const task = event.task.map((part) => (part.type === "text" ? part.text : "")).join(" ");
      const turn = above ?? { task, runs: new Set<RunId>(), changed: new Set<string>(), isSettled: false };
      if (!above) turns.push(turn);
      turn.runs.add(event.runId);
      turnOf.set(event.runId, turn);
      if (event.spec.workspace !== folder) elsewhere.add(event.runId);
    }
    const turn = turnOf.get(event.runId);
    if (!turn) continue;
    if (event.type === "run.settled" && event.depth === 0) turn.isSettled = true;
    if (event.type !== "tool.settled" || elsewhere.has(event.runId)) continue;
    for (const file of [...(event.files?.created ?? []), ...(event.files?.modified ?? [])]) turn.changed.add(file);
  }
  return turns;
};
