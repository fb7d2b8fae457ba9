/** Where one trial is made: a folder, the record in it, and whoever speaks to the run while victims come and go. */
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { SCENARIOS } from "./scenarios.ts";
import { createSpeaker, type Speaker } from "./speaker.ts";
import { isThere, openTrialLog, type TrialLog } from "./trial-record.ts";
import type { VictimOrder } from "./victim-order.ts";
import { runVictim, type VictimEnding, type VictimOptions } from "./victim-process.ts";
import { copyTemplate, plantLocks } from "./victim-worktrees.ts";

/** What all trials of a sweep share. */
export type SweepGround = {
  /** A folder: each trial has one of its own in it. */
  readonly place: string;
  /** A victim in one file, which starts sooner; the sources by default. */
  readonly program?: string | undefined;
  /** The repository that workspaces are copied from. */
  readonly template?: string | undefined;
  /** Aborted when whoever waits for it wants it no more. */
  readonly signal?: AbortSignal | undefined;
};

export type StageOrder = Omit<VictimOrder, "folder" | "killAt" | "failAt" | "postgres"> & {
  /** Of a server on which each stage has a schema of its own; a file of SQLite by default. */
  readonly postgresUrl?: string;
};

export type Stage = {
  readonly folder: string;
  readonly order: VictimOrder;
  readonly run: (how: VictimHow) => Promise<VictimEnding>;
  /** What went wrong in speaking to the run. */
  readonly misunderstood: readonly string[];
  readonly close: () => Promise<void>;
};

export type VictimHow = Pick<VictimOptions, "strace" | "killAfterMs"> &
  Pick<VictimOrder, "killAt" | "failAt"> & {
    /** Killed as soon as the main run waits for nothing but the last question. It is answered while nobody drives, or when the next one does. */
    readonly killParked?: "then-answered" | "then-resumed";
  };

/** How often the speaker looks at what there is to say. */
const LOOK_EVERY_MS = 15;

export const openStage = (ground: SweepGround, { postgresUrl: url, ...given }: StageOrder): Stage => {
  const { place, program, template, signal } = ground;
  const folder = mkdtempSync(path.join(place, "trial-"));
  const schema = `sweep_${Buffer.from(path.basename(folder)).toString("hex")}`;
  const order: VictimOrder = { ...given, folder, ...(url === undefined ? {} : { postgres: { url, schema } }) };
  const { inputs, files } = SCENARIOS[given.scenario];
  if (template !== undefined && files !== undefined) copyTemplate(template, folder);
  if (given.gitLocks === true) plantLocks(folder);
  const misunderstood: string[] = [];
  let log: TrialLog | undefined;
  let speaker: Speaker | undefined;

  /** Speaks for as long as this victim lives. */
  const speak = async ({ killParked }: VictimHow, victim: { readonly kill: () => void; readonly isOver: () => boolean }) => {
    if (!inputs) return;
    while (!victim.isOver()) {
      if (speaker || isThere(order)) {
        log ??= await openTrialLog(order);
        speaker ??= createSpeaker(log, inputs);
        try {
          if (await speaker.look()) {
            if (killParked !== undefined) victim.kill();
            if (killParked !== "then-resumed") speaker.answerLast();
            // Said while nobody drives: at once, and before the next one is there.
            if (killParked === "then-answered") await speaker.look();
            if (killParked !== undefined) return;
          }
        } catch (thrown) {
          misunderstood.push(thrown instanceof Error ? thrown.message : String(thrown));
        }
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  };

  return {
    folder,
    order,
    misunderstood,
    run: async (how) => {
      const { killAt, failAt, killParked: _, ...rest } = how;
      let isOver = false;
      const kill = new AbortController();
      const victim = runVictim({
        order: { ...order, ...(killAt === undefined ? {} : { killAt }), ...(failAt === undefined ? {} : { failAt }) },
        cache: path.join(place, "cache"),
        ...(program === undefined ? {} : { program }),
        ...(signal === undefined ? {} : { signal }),
        kill: kill.signal,
        ...rest,
      }).finally(() => (isOver = true));
      const speaking = speak(how, { kill: () => kill.abort(), isOver: () => isOver });
      const ending = await victim;
      await speaking;
      return ending;
    },
    close: async () => {
      await log?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
