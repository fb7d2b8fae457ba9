/** Calls of the server about sessions: the record is read as it is, and runs are begun through the workspace of their folder. */
import type { RunHandle } from "@retinue/engine";
import type { SessionId, TurnId, UserPart } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { RouteInput } from "@retinue/protocol/routes";
import type { BackendGround, SomeCalls } from "./backend-ground.ts";
import { toCommandTask } from "../folder-commands.ts";
import { forgetSessions } from "../host/forget-sessions.ts";
import { addToQueue, listQueue } from "./queued-turns.ts";
import { given, type Said, toParts } from "./said.ts";
import type { Served } from "./served-workspaces.ts";
import type { SessionFolds } from "./session-folds.ts";
import type { SessionItem } from "./session-items.ts";
import { requireSession, toSessionItems } from "./session-items.ts";
import { findAgentNamed } from "@retinue/runtime";

type RunOptions = Omit<RouteInput<"startTurn">["body"], keyof Said>;

type SessionCall =
  | "listSessions"
  | "startSession"
  | "getSession"
  | "deleteSession"
  | "startTurn"
  | "listQueuedTurns"
  | "queueTurn"
  | "dropQueuedTurn"
  | "resumeSession"
  | "forkSession"
  | "stopSession"
  | "exportSession"
  | "listEvents"
  | "listMessages"
  | "getTree"
  | "listSessionPlans"
  | "search";

const USUAL_EVENTS = 1_000;
/** Sessions of fewer events are folded as soon as they are opened. */
const LARGE_EVENTS = 5_000;
const MOST_AHEAD = 2;

export const createSessionCalls = (ground: BackendGround, folds: SessionFolds): SomeCalls<SessionCall> => {
  const { store, workspaces, source, env } = ground;
  const { readSide } = store;
  const servedOf = async (sessionId: SessionId): Promise<Served> =>
    workspaces.at((await requireSession(store, sessionId)).workspace);
  const begin = async (served: Served, run: Promise<RunHandle>): Promise<Started> => {
    const handle = workspaces.hold(served, await run);
    return { sessionId: handle.sessionId, runId: handle.runId };
  };

  return {
    listSessions: async ({ query: { search, workspaceId, ...query } }) => {
      if (search !== undefined && search.trim() !== "") return searchSessions(ground, search, given(query));
      const workspace = workspaceId === undefined ? {} : { workspace: workspaces.of(workspaceId).workspace.folder };
      const { items, next } = await readSide.listSessions(given({ ...query, ...workspace }));
      // Whoever sees the list opens one of the latest; reading a large one takes as long as looking at the list does.
      if (query.order === "updated" && query.after === undefined)
        for (const { sessionId } of items.filter(({ headSeq }) => headSeq > LARGE_EVENTS).slice(0, MOST_AHEAD))
          folds.foldAhead(sessionId);
      return { items: await toSessionItems(store, items), next };
    },
    getSession: async ({ params: { sessionId } }) => {
      const [item] = await toSessionItems(store, [await requireSession(store, sessionId)]);
      // One row gives one item.
      return item as SessionItem;
    },
    startSession: async ({ body: { workspaceId, text, images, ...run } }) => {
      const served = workspaces.of(workspaceId);
      const meant = await toMeant(served, text, env);
      return begin(served, served.workspace.run(toParts({ text: meant.text, images }), { ...meant.by, ...given(run), source }));
    },
    startTurn: async ({ params: { sessionId }, body: { text, images, ...run } }) =>
      beginTurn(ground, await servedOf(sessionId), { ...run, said: toParts({ text, images }), sessionId }),
    listQueuedTurns: async ({ params: { sessionId } }) => ({
      turns: await listQueue({ served: await servedOf(sessionId), sessionId }),
    }),
    queueTurn: async ({ params: { sessionId }, body: { text } }) => ({
      isQueued: await addToQueue({ served: await servedOf(sessionId), sessionId, text, source, keeper: ground.keeper }),
    }),
    dropQueuedTurn: async ({ params: { sessionId, turnId } }) => {
      const { workspace } = await servedOf(sessionId);
      await workspace.live.withdrawTurn(sessionId, turnId, { source });
      return { ok: true };
    },
    resumeSession: async ({ params: { sessionId }, body }) => {
      const served = await servedOf(sessionId);
      const run = await served.workspace.resume(sessionId, given(body));
      return { ...(await begin(served, Promise.resolve(run))), approve: run.approve };
    },
    forkSession: async ({ params: { sessionId }, body: { seq, runId, text, ...run } }) => {
      const served = await servedOf(sessionId);
      const session = await requireSession(store, sessionId);
      const at = seq ?? session.headSeq;
      const [event] = await store.read(sessionId, at - 1, 1);
      const left = runId ?? (seq === undefined ? (await store.latestRoot(sessionId))?.runId : event?.runId);
      if (left === undefined || event === undefined)
        throw new RetinueError("request_invalid", `${sessionId} has no event ${at}.`, {
          hint: `Its events are 1 to ${session.headSeq}.`,
        });
      const point = { sessionId, runId: left, seq: at };
      return begin(
        served,
        served.workspace.fork(point, { ...given(run), source, ...(text === undefined ? {} : { task: text }) }),
      );
    },
    stopSession: async ({ params: { sessionId }, body }) => {
      const { workspace } = await servedOf(sessionId);
      const root = await store.latestRoot(sessionId);
      if (!root) throw new RetinueError("session_unknown", `There is no session ${sessionId}.`);
      await workspace.live.cancel(root.runId, { ...given(body), source });
      await ground.keeper.wake(sessionId);
      return { ok: true };
    },
    deleteSession: async ({ params: { sessionId }, query: { force } }) => {
      const wasThere = await readSide.deleteSession(sessionId, { force: force === "true" });
      if (!wasThere) throw new RetinueError("session_unknown", `There is no session ${sessionId}.`);
      folds.forget(sessionId);
      await forgetSessions([sessionId], env);
      return { ok: true };
    },
    exportSession: async ({ params: { sessionId } }) => ({ ...(await readSide.exportSession(sessionId)) }),
    listEvents: async ({ params: { sessionId }, query: { after = 0, limit = USUAL_EVENTS } }) => {
      const { headSeq } = await requireSession(store, sessionId);
      return { events: await store.read(sessionId, after, limit), headSeq };
    },
    listMessages: async ({ params: { sessionId }, query }) => {
      await requireSession(store, sessionId);
      return readSide.messages(sessionId, given(query));
    },
    getTree: async ({ params: { sessionId } }) => {
      await requireSession(store, sessionId);
      return { runs: await readSide.tree(sessionId) };
    },
    listSessionPlans: async ({ params: { sessionId } }) => {
      const { runs } = await folds.viewOf(sessionId);
      return {
        plans: [...runs.values()].flatMap(({ runId, plans }) =>
          [...plans.values()].map(({ callId, plan, steps, verdict }) => ({
            runId,
            callId,
            plan: plan as never,
            steps: [...steps.values()].map(({ step, state, attempt, runId: stepRunId, summary }) => ({
              stepId: step.id,
              state,
              attempt,
              runId: stepRunId,
              summary,
            })),
            verdict: verdict && { status: verdict.status, summary: verdict.summary },
          })),
        ),
      };
    },
    search: async ({ query: { text, ...query } }) => readSide.search(text, given(query)),
  };
};

type Started = { readonly sessionId: SessionId; readonly runId: `run_${string}` };

type Turn = RunOptions & {
  readonly sessionId: SessionId;
  readonly said: readonly UserPart[];
  /** Where it waited in the session's queue. */
  readonly queuedTurn?: TurnId;
};

/** Goes on with the conversation of a session. */
export const beginTurn = async (
  { workspaces, env, source }: Pick<BackendGround, "workspaces" | "env" | "source">,
  served: Served,
  { said, sessionId, ...run }: Turn,
): Promise<Started> => {
  // A command stands at the beginning of what was said.
  const [first, ...rest] = said;
  const meant = first?.type === "text" ? await toMeant(served, first.text, env) : undefined;
  const task = meant ? [{ type: "text" as const, text: meant.text }, ...rest] : said;
  const handle = await served.workspace.run(task, { ...meant?.by, ...given(run), sessionId, source });
  const { runId } = workspaces.hold(served, handle);
  return { sessionId, runId };
};

type Meant = { readonly text: string; readonly by: { readonly agent?: string } };

/** A text that calls a command which is a file becomes the task that it stands for, for the agent that the file names, where there is one. */
const toMeant = async (
  { workspace: { folder, agents }, loaded: { settings } }: Served,
  said: string,
  env: NodeJS.ProcessEnv,
): Promise<Meant> => {
  const { text, command } = await toCommandTask(said, { folder, settings, env, isStrict: false });
  const named = command?.agent === undefined ? undefined : findAgentNamed(command.agent, agents.values());
  return { text, by: named === undefined ? {} : { agent: named.name } };
};

type Found = { readonly items: readonly SessionItem[]; readonly next: string | null };

/** Each session once, with the words that were found last in it. */
const searchSessions = async (
  { store }: BackendGround,
  text: string,
  { limit, after }: { readonly limit?: number; readonly after?: string },
): Promise<Found> => {
  const { items: hits, next } = await store.readSide.search(text, given({ limit, after }));
  const snippets = new Map(hits.toReversed().map(({ sessionId, snippet }) => [sessionId, snippet]));
  const rows = await Promise.all([...snippets.keys()].toReversed().map(async (sessionId) => store.readSide.session(sessionId)));
  const items = await toSessionItems(
    store,
    rows.filter((row) => row !== undefined),
  );
  return { items: items.map((item) => ({ ...item, snippet: snippets.get(item.sessionId) })), next };
};
