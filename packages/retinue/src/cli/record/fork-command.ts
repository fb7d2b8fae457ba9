/** `retinue sessions fork`: leaves a session at any point and goes on from there in a session of its own. */
import { RetinueError } from "@retinue/protocol";
import { readTask } from "../read-task.ts";
import type { SessionOptions } from "../session-options.ts";
import type { ViewOptions } from "../show-run.ts";
import { toView } from "../show-run.ts";
import type { Surroundings } from "../surroundings.ts";
import { workWith } from "../work-with.ts";
import { findSession, shortId } from "./find-session.ts";
import { isOpenAt, toForkPoint } from "./fork-point.ts";
import { withRecord } from "./open-for-command.ts";
import { settingsOf } from "./settings-of-session.ts";

export type ForkCommandOptions = SessionOptions & ViewOptions & { readonly at?: string; readonly prompt?: string };

export const forkCommand = (
  name: string,
  words: readonly string[],
  options: ForkCommandOptions,
  surroundings: Surroundings,
): Promise<number> =>
  withRecord(options, surroundings, async (record) => {
    const { sessions, store } = record;
    const session = await findSession(name, record);
    const events = await store.read(session.sessionId);
    const point = await toForkPoint({ session, events, at: options.at, sessions });
    const task = words.length === 0 ? undefined : await readTask(words, surroundings.stdin);
    if (task === undefined && !isOpenAt(events, point))
      throw new RetinueError("task_empty", `At event #${point.seq} everything was said and done.`, {
        hint: "Give a task, or leave earlier: --at takes the number of an event, as `retinue sessions show` tells them.",
      });
    const origin = events.find(({ type, runId }) => type === "run.requested" && runId === point.runId);
    if (origin?.type !== "run.requested") throw new RetinueError("run_unknown", `There is no run ${point.runId}.`);
    const settings = await settingsOf(session, record, options, surroundings);
    // What is not changed stays as it was.
    const model = options.model ?? origin.spec.model;
    const view = toView(options);
    const { workspace } = session;
    return workWith({ workspace, settings, view, more: { store, model } }, surroundings, async ({ retinue, signal, show }) => {
      if (view.type === "text")
        await surroundings.stderr.write(`retinue: leaves ${shortId(session.sessionId)} at event #${point.seq}.\n`);
      const run = await retinue.fork(point, {
        signal,
        ...(record.loaded.flagged.limits !== undefined && { limits: record.loaded.flagged.limits }),
        ...(task !== undefined && { task }),
        ...(options.prompt !== undefined && { prompt: options.prompt }),
        ...(options.agent !== undefined && { agent: options.agent }),
        // An agent that is chosen now may bring a model of its own.
        ...((options.agent === undefined || options.model !== undefined) && { model }),
      });
      return show(run);
    });
  });
