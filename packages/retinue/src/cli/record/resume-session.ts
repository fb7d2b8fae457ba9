/**
 * Goes on with a session: one that was cut off is brought to its end first, then a task is its next turn. Where it works and under
 * which settings is the session's own matter, wherever the command was called.
 */
import { RetinueError } from "@retinue/protocol";
import type { SessionRow } from "@retinue/store";
import { heldError } from "@retinue/store";
import type { ResumedApprove } from "../../host/workspace.ts";
import type { CassetteOptions } from "../cassette.ts";
import { withCassette } from "../cassette.ts";
import { EXIT } from "../exit-code.ts";
import type { SessionOptions } from "../session-options.ts";
import type { ViewOptions } from "../show-run.ts";
import { toView } from "../show-run.ts";
import type { Surroundings } from "../surroundings.ts";
import { workWith } from "../work-with.ts";
import { findLatest, findSession, isUnsettled, shortId } from "./find-session.ts";
import type { CommandRecord } from "./open-for-command.ts";
import { withRecord } from "./open-for-command.ts";
import { settingsOf } from "./settings-of-session.ts";

export type ResumeSessionOptions = SessionOptions &
  ViewOptions &
  CassetteOptions & {
    /** Also from a living process that works on it. */
    readonly takeOver?: boolean;
  };

export type ResumeSessionRequest = {
  /** The latest of the workspace where absent. */
  readonly name: string | undefined;
  /** Undefined: it is only brought to its end. */
  readonly task: string | undefined;
};

export const resumeSession = (
  request: ResumeSessionRequest,
  options: ResumeSessionOptions,
  surroundings: Surroundings,
): Promise<number> =>
  withRecord(options, surroundings, async (record) => {
    const session = await sessionOf(request.name, record);
    const settings = await settingsOf(session, record, options, surroundings);
    const root = (await record.sessions.tree(session.sessionId)).at(-1);
    const isOpen = isUnsettled(session);
    if (!isOpen && request.task === undefined)
      throw new RetinueError("task_empty", `${session.sessionId} has ended (${root?.outcome ?? session.status}).`, {
        hint: `Say what to do next: retinue run --session ${shortId(session.sessionId)} "…"`,
      });
    const takeOver = options.takeOver === true;
    const holder = (await record.sessions.holders([session.sessionId])).get(session.sessionId);
    if (holder && !takeOver) throw heldError(session.sessionId, holder);
    const { stderr } = surroundings;
    const view = toView(options);
    const { workspace } = session;
    const context = { workspace, flagModel: options.model, settingsModel: settings.model };
    return withCassette(options, context, surroundings, (cassette) => {
      // Those that it starts yet get the model that it began with.
      const model = isOpen ? root?.model : undefined;
      const more = { store: record.store, ...(model !== undefined && { model }), ...cassette.more };
      return workWith({ workspace, settings, view, more }, surroundings, async ({ retinue, signal, show }) => {
        await cassette.note(retinue.model);
        let exitCode: number = EXIT.done;
        if (isOpen) {
          // It is frozen as it was begun.
          const { model: flagModel, limits } = record.loaded.flagged;
          const flags = [...(flagModel === undefined ? [] : ["--model"]), ...(limits === undefined ? [] : ["--limit"])];
          if (flags.length > 0)
            await stderr.write(
              `retinue: ${flags.join(" and ")} cannot change a run that was begun; what comes after it has them.\n`,
            );
          const run = await retinue.resume(session.sessionId, { signal, takeOver });
          if (view.type === "text" || run.approve !== run.begunWith)
            await stderr.write(
              `retinue: ${shortId(session.sessionId)} continues where it was${holder ? `, taken over from process ${holder.pid}` : ""}, ${describeMode(run)}.\n`,
            );
          exitCode = await show(run);
        }
        if (request.task !== undefined && !signal.aborted && exitCode !== EXIT.waiting) {
          const agent = options.agent ?? root?.agent;
          const next = options.model ?? settings.model;
          exitCode = await show(
            await retinue.run(request.task, {
              sessionId: session.sessionId,
              signal,
              ...(agent !== undefined && { agent }),
              ...(isOpen && next !== undefined && { model: next }),
              ...record.loaded.flagged,
            }),
          );
        }
        if (exitCode === EXIT.done) cassette.assertDone();
        return exitCode;
      });
    });
  });

const describeMode = ({ approve, begunWith }: ResumedApprove): string =>
  approve === begunWith
    ? `with --approve ${approve}, as it was begun`
    : `with --approve ${approve}: it was begun with ${begunWith}, and settings and flags allow no more now`;

const sessionOf = async (name: string | undefined, { sessions, workspace }: CommandRecord): Promise<SessionRow> => {
  if (name !== undefined) return findSession(name, { sessions, workspace });
  const latest = await findLatest({ sessions, workspace });
  if (latest) return latest;
  throw new RetinueError("session_unknown", `There is no session of the folder ${workspace} to go on with.`, {
    hint: 'A new one is begun by retinue run "…"; `retinue sessions list --all` lists those of other folders.',
  });
};
