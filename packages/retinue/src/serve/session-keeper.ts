/**
 * Keeps sessions going without a call: it drives on runs that nobody drives and that somebody spoke to, takes up what an earlier server left, settles questions
 * whose time is over, and begins queued turns. Everything it goes by stands in the record, so any number of servers may do this on one store: a run has one
 * lease, and a queued turn begins once.
 */
import { countVainStarts, hasUnheardInputs } from "@retinue/engine";
import type { ErrorCode, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { OpenApproval, QueuedTurn, SessionRow } from "@retinue/store";
import type { RetinueStore } from "../open-record.ts";
import type { Served, ServedWorkspaces } from "./served-workspaces.ts";

/** `all`: what a server began, and runs that somebody spoke to. `news`: only runs that somebody spoke to. `none`: nothing by itself. */
export type TakeUp = "all" | "news" | "none";

export type SessionKeeper = {
  /** After something was said to a session through this server: whoever drives it hears of it; where nobody does, it is driven on here. */
  readonly wake: (sessionId: SessionId) => Promise<void>;
  /** A run that was driven here has ended, or was left where its record stands. */
  readonly left: (sessionId: SessionId, thrown?: unknown) => void;
  readonly close: () => void;
};

export type SessionKeeperOptions = {
  readonly store: Pick<RetinueStore, "readSide" | "watchAny" | "approvals" | "queuedTurns" | "read">;
  readonly workspaces: Pick<ServedWorkspaces, "list" | "at" | "isHeld" | "hold">;
  readonly takeUp: TakeUp;
  /** Begins a turn that waited. */
  readonly begin: (served: Served, turn: QueuedTurn) => Promise<unknown>;
  readonly onProblem?: ((problem: unknown) => void) | undefined;
  readonly pace?: Partial<KeeperPace> | undefined;
};

export type KeeperPace = {
  /** What is written within so long is looked at together. */
  readonly gatherMs: number;
  /** How often all open sessions are looked at: a process that drove one may have died, which nobody writes down. */
  readonly sweepMs: number;
  /** How soon a run is taken up again that was left because the store was away. */
  readonly storeAgainMs: number;
  /** The same where a model was away, doubled from time to time up to `longestMs`. */
  readonly modelAgainMs: number;
  readonly longestMs: number;
};

const PACE: KeeperPace = { gatherMs: 50, sweepMs: 30_000, storeAgainMs: 500, modelAgainMs: 15_000, longestMs: 600_000 };
/** A run that was taken up so often, and came no further, is left to a person. */
const MOST_VAIN_STARTS = 3;
const PAGE = 200;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const EXPIRED = "The question expired unanswered.";
const ALL = { has: () => true, keys: () => [] };

/** Somebody else was faster, or it is past: nothing is left to do here. */
const PAST: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "session_running",
  "lease_lost",
  "run_settled",
  "turn_taken",
  "approval_answered",
  "approval_expired",
  "approval_unknown",
  "closed",
]);
const STORE_AWAY: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["store_failed", "store_busy", "store_full"]);

const codeOf = (thrown: unknown): ErrorCode | undefined => (thrown instanceof RetinueError ? thrown.code : undefined);
const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
const isOpen = ({ status }: SessionRow): boolean => status === "pending" || status === "running";

/** Why a session is looked at: somebody said something here, a run of this server was left, or nobody in particular. */
type Reason = "asked" | "left" | "seen";

export const createSessionKeeper = (options: SessionKeeperOptions): SessionKeeper => {
  const { store, workspaces, takeUp, begin, onProblem } = options;
  const pace = { ...PACE, ...options.pace };
  const tails = new Map<SessionId, Promise<unknown>>();
  const touched = new Set<SessionId>();
  const again = new Map<SessionId, { timer: NodeJS.Timeout; tries: number }>();
  let gathering: NodeJS.Timeout | undefined;
  let expiring: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** One look at a session at a time. */
  const inTurn = (sessionId: SessionId, work: () => Promise<void>): Promise<void> => {
    const done = (tails.get(sessionId) ?? Promise.resolve()).then(work);
    const tail = done
      .catch(() => undefined)
      .finally(() => {
        if (tails.get(sessionId) === tail) tails.delete(sessionId);
      });
    tails.set(sessionId, tail);
    return done;
  };

  const servedFor = async ({ workspace, importedAt }: SessionRow, reason: Reason): Promise<Served | undefined> => {
    if (reason !== "seen") return workspaces.at(workspace);
    // An imported session is somebody else's words: nothing of it begins by itself.
    return importedAt === null ? workspaces.list().find((one) => one.workspace.folder === workspace) : undefined;
  };

  const look = async (sessionId: SessionId, reason: Reason): Promise<void> => {
    if (isClosed || workspaces.isHeld(sessionId)) return;
    const session = await store.readSide.session(sessionId);
    const served = session && (await servedFor(session, reason));
    if (!served) return;
    if (!isOpen(session)) return beginNext(served, sessionId);
    const holder = (await store.readSide.holders([sessionId])).get(sessionId);
    if (holder && !holder.isSelf) return;
    if (reason === "seen" && !(await mayTakeUp(sessionId))) return;
    workspaces.hold(served, await served.workspace.resume(sessionId));
  };

  const beginNext = async (served: Served, sessionId: SessionId): Promise<void> => {
    const turn = await served.workspace.live.nextTurn(sessionId);
    if (turn) await begin(served, turn);
  };

  const mayTakeUp = async (sessionId: SessionId): Promise<boolean> => {
    const events = await store.read(sessionId);
    if (hasUnheardInputs(events)) return true;
    const root = events.findLast(({ type, depth }) => type === "run.requested" && depth === 0);
    if (takeUp !== "all" || root?.type !== "run.requested" || root.source?.via !== "server") return false;
    const last = events.findLast(({ runId }) => runId === root.runId);
    if (last?.type === "run.parked") return false;
    return countVainStarts(events, root.runId) < MOST_VAIN_STARTS;
  };

  /** Looks without a caller who could be told. */
  const lookAlone = (sessionId: SessionId, reason: Reason): Promise<void> =>
    inTurn(sessionId, () => look(sessionId, reason)).catch((thrown: unknown) => {
      const code = codeOf(thrown);
      if (isClosed || (code !== undefined && PAST.has(code))) return;
      if (reason === "left" || (code !== undefined && STORE_AWAY.has(code))) return lookLater(sessionId, thrown);
      onProblem?.(new Error(`Session ${sessionId} does not continue: ${messageOf(thrown)}`));
    });

  const lookLater = (sessionId: SessionId, thrown: unknown): void => {
    const before = again.get(sessionId);
    clearTimeout(before?.timer);
    const tries = (before?.tries ?? 0) + 1;
    const isStore = STORE_AWAY.has(codeOf(thrown) ?? "internal");
    const waitMs = isStore ? pace.storeAgainMs : Math.min(pace.longestMs, pace.modelAgainMs * 2 ** (tries - 1));
    const timer = setTimeout(() => void lookAlone(sessionId, "left"), waitMs).unref();
    again.set(sessionId, { timer, tries });
  };

  /** A question whose time was over while nobody waited for that is answered, and the run goes on. */
  const settleExpired = async (): Promise<void> => {
    const now = Date.now();
    let next = Infinity;
    for (const asked of await store.approvals()) {
      const { expiresAt } = asked;
      if (expiresAt === null) continue;
      const at = Date.parse(expiresAt);
      if (at > now) next = Math.min(next, at);
      else await deny(asked);
    }
    clearTimeout(expiring);
    if (next !== Infinity && !isClosed)
      expiring = setTimeout(
        () => void settleExpired().catch(() => undefined),
        Math.min(LONGEST_TIMER_MS, next - now + 1),
      ).unref();
  };

  const deny = async ({ approvalId, sessionId, workspace }: OpenApproval): Promise<void> => {
    const served = workspaces.list().find((one) => one.workspace.folder === workspace);
    if (!served) return;
    try {
      await served.workspace.live.answer(approvalId, { allowed: false, reason: EXPIRED }, { source: { via: "rule" } });
    } catch (thrown) {
      if (!PAST.has(codeOf(thrown) ?? "internal")) throw thrown;
    }
    if (takeUp !== "none") void lookAlone(sessionId, "seen");
  };

  const sweep = async (): Promise<void> => {
    await settleExpired();
    if (takeUp === "none") return;
    for (const { sessionId } of await store.queuedTurns()) await lookAlone(sessionId, "seen");
    for (const { workspace } of workspaces.list())
      for (const status of ["pending", "running"] as const)
        for (let after: string | null = null; ;) {
          const page = await store.readSide.listSessions({
            status,
            workspace: workspace.folder,
            limit: PAGE,
            ...(after === null ? {} : { after }),
          });
          for (const { sessionId } of page.items) await lookAlone(sessionId, "seen");
          after = page.next;
          if (after === null || isClosed) break;
        }
  };

  const gather = (sessionId: SessionId): void => {
    // What is driven here is heard of by its engine; when that leaves it, `left` looks.
    if (workspaces.isHeld(sessionId)) return;
    touched.add(sessionId);
    gathering ??= setTimeout(() => {
      gathering = undefined;
      const sessions = [...touched];
      touched.clear();
      if (takeUp !== "none") for (const one of sessions) void lookAlone(one, "seen");
      settleExpired().catch(() => undefined);
    }, pace.gatherMs).unref();
  };

  const unwatch = store.watchAny(ALL, gather);
  const sweeping = setInterval(() => void sweep().catch(() => undefined), pace.sweepMs).unref();
  // What cannot be read now is looked at with the next sweep.
  void sweep().catch(() => undefined);

  return {
    wake: (sessionId) =>
      inTurn(sessionId, () => look(sessionId, "asked")).catch((thrown: unknown) => {
        if (!PAST.has(codeOf(thrown) ?? "internal")) throw thrown;
      }),
    left: (sessionId, thrown) => {
      if (isClosed) return;
      if (thrown === undefined) {
        clearTimeout(again.get(sessionId)?.timer);
        again.delete(sessionId);
        void lookAlone(sessionId, takeUp === "none" ? "asked" : "seen");
        return;
      }
      const code = codeOf(thrown) ?? "internal";
      if (PAST.has(code)) return;
      const willContinue = code === "run_left_open" || STORE_AWAY.has(code);
      const next = willContinue ? "It continues as soon as it can." : "Resume it, or cancel it.";
      onProblem?.(new Error(`Session ${sessionId} stopped: ${messageOf(thrown)} ${next}`));
      if (willContinue) lookLater(sessionId, thrown);
    },
    close: () => {
      isClosed = true;
      unwatch();
      clearInterval(sweeping);
      clearTimeout(gathering);
      clearTimeout(expiring);
      for (const { timer } of again.values()) clearTimeout(timer);
    },
  };
};
