/**
 * The approve modes that runs were begun with on this machine, as long as these have not settled. They stand in the user's own folder: what a record says of
 * rights may have been written by somebody else.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RunHandle } from "@retinue/engine";
import type { ApproveMode, RunId, SessionId } from "@retinue/protocol";
import { APPROVE_MODES } from "@retinue/protocol";

type Begun = { readonly sessionId: SessionId; readonly runId: RunId };

type Working = Begun & Pick<RunHandle, "outcome">;

export type BegunModes = {
  /** Until the run has settled. Where it cannot be kept, the run continues with the mode of the settings. */
  readonly keep: (run: Working, mode: ApproveMode) => Promise<void>;
  /** Drops the mode of a run when that has settled. */
  readonly dropSettled: (run: Working) => void;
  readonly read: (run: Begun) => Promise<ApproveMode | undefined>;
};

export const begunModeFile = (home: string, sessionId: SessionId): string =>
  path.join(home, "begun", `${path.basename(sessionId)}.json`);

export const createBegunModes = (home: string): BegunModes => {
  const read: BegunModes["read"] = async ({ sessionId, runId }) => {
    try {
      const kept: unknown = JSON.parse(await readFile(begunModeFile(home, sessionId), "utf8"));
      if (typeof kept !== "object" || kept === null || !("approve" in kept) || !("runId" in kept)) return undefined;
      return kept.runId === runId ? APPROVE_MODES.find((mode) => mode === kept.approve) : undefined;
    } catch {
      return undefined;
    }
  };
  const drop = async (run: Working): Promise<void> => {
    const { type } = await run.outcome;
    if (type === "settled" && (await read(run)) !== undefined) await rm(begunModeFile(home, run.sessionId), { force: true });
  };
  // A run that is left open keeps its mode.
  const dropSettled: BegunModes["dropSettled"] = (run) => void drop(run).catch(() => undefined);
  return {
    read,
    dropSettled,
    keep: async (run, approve) => {
      // Nobody needs leave to ask.
      if (approve === "ask" || approve === "read-only") return;
      const { sessionId, runId } = run;
      const file = begunModeFile(home, sessionId);
      try {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        await writeFile(file, JSON.stringify({ runId, approve }), { mode: 0o600 });
      } catch {
        return;
      }
      dropSettled(run);
    },
  };
};
