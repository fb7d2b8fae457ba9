/**
 * The feed over all sessions: rows of the list as they change, and the questions that wait. It carries states, not changes: a client that missed
 * some is told the whole again, and nothing can be out of order.
 */
import type { AllFrame, SessionId } from "@retinue/protocol";
import { FEED_CLOSE } from "@retinue/protocol";
import type { RouteOutput } from "@retinue/protocol/routes";
import type { Calls, Feeds, ReadonlyDeep } from "../backend.ts";
import type { FeedLimits } from "./limits.ts";
import type { Frame, Sink } from "./sink.ts";
import { toFrame } from "./sink.ts";

type Session = ReadonlyDeep<RouteOutput<"getSession">>;
type Approval = ReadonlyDeep<RouteOutput<"listApprovals">["approvals"][number]>;
type Told = AllFrame<Session, Approval>;

export type AllHub = {
  readonly join: (sink: Sink) => () => void;
  /** A session that was deleted here. */
  readonly deleted: (sessionId: SessionId) => void;
  readonly close: (code: number, reason: string) => void;
  readonly size: () => number;
};

export type AllHubOptions = {
  readonly calls: Pick<Calls, "listSessions" | "getSession" | "listApprovals">;
  readonly feeds: Pick<Feeds, "watchAll">;
  readonly limits: FeedLimits;
};

type Client = { readonly sink: Sink; isBehind: boolean; stalledAt: number | null };

/** Changes of so long are told together. */
const GATHER_MS = 100;
/** What no watch has told of, such as what another process deleted, is found at the latest then. */
const LOOK_MS = 5_000;
const MOST_LISTED = 50;

const frameOf = (told: Told): Frame => toFrame(JSON.stringify(told));

export const createAllHub = ({ calls, feeds, limits }: AllHubOptions): AllHub => {
  const clients = new Set<Client>();
  const dirty = new Set<SessionId>();
  let approvalsTold = "";
  let listTold = "";
  let gathering: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let unwatch: (() => void) | undefined;

  const isFull = ({ sink }: Client): boolean => sink.waitingBytes() > limits.waitingBytes;

  const send = (client: Client, frame: Frame): void => {
    if (isFull(client)) client.isBehind = true;
    else
      client.sink.send(frame, () => {
        if (client.isBehind && !isFull(client)) void greet(client).catch(() => undefined);
      });
  };
  const tell = (told: Told): void => {
    const frame = frameOf(told);
    for (const client of clients) send(client, frame);
  };

  const readAll = async (): Promise<Extract<Told, { type: "hello" }>> => {
    const none = { params: undefined, body: undefined };
    const [{ items: sessions }, { approvals }] = await Promise.all([
      calls.listSessions({ ...none, query: { order: "updated", limit: MOST_LISTED } }),
      calls.listApprovals({ ...none, query: {} }),
    ]);
    return { type: "hello", sessions, approvals };
  };
  const greet = async (client: Client): Promise<void> => {
    client.isBehind = false;
    const hello = await readAll();
    if (clients.has(client)) send(client, frameOf(hello));
  };

  const tellDirty = async (): Promise<void> => {
    gathering = undefined;
    const due = [...dirty];
    dirty.clear();
    for (const sessionId of due) {
      const session = await calls.getSession({ params: { sessionId }, query: undefined, body: undefined }).catch(() => undefined);
      tell(session === undefined ? { type: "deleted", sessionId } : { type: "session", session });
    }
    const { approvals } = await calls.listApprovals({ params: undefined, query: {}, body: undefined });
    const text = JSON.stringify(approvals);
    if (text !== approvalsTold) tell({ type: "approvals", approvals });
    approvalsTold = text;
  };
  const gather = (sessionId: SessionId): void => {
    dirty.add(sessionId);
    // What cannot be read now is looked for again soon.
    gathering ??= setTimeout(() => void tellDirty().catch(() => undefined), GATHER_MS).unref();
  };

  const look = async (): Promise<void> => {
    const hello = await readAll();
    const list = JSON.stringify(
      hello.sessions.map(({ sessionId, headSeq, status, driver }) => [sessionId, headSeq, status, driver]),
    );
    const approvals = JSON.stringify(hello.approvals);
    if (list !== listTold || approvals !== approvalsTold) tell(hello);
    listTold = list;
    approvalsTold = approvals;
  };
  const dropStalled = (): void => {
    for (const client of clients) {
      client.stalledAt = isFull(client) ? (client.stalledAt ?? performance.now()) : null;
      if (client.stalledAt !== null && performance.now() - client.stalledAt > limits.stallMs) {
        client.sink.close(FEED_CLOSE.tooSlow, "The client does not read.");
        leave(client);
      }
    }
  };

  const begin = (): void => {
    unwatch = feeds.watchAll(gather);
    looking = setInterval(() => {
      dropStalled();
      void look().catch(() => undefined);
    }, LOOK_MS).unref();
  };
  const end = (): void => {
    unwatch?.();
    unwatch = undefined;
    clearInterval(looking);
    clearTimeout(gathering);
    gathering = undefined;
  };
  const leave = (client: Client): void => {
    if (clients.delete(client) && clients.size === 0) end();
  };

  return {
    join: (sink) => {
      if (clients.size === 0) begin();
      const client: Client = { sink, isBehind: false, stalledAt: null };
      clients.add(client);
      greet(client).catch(() => {
        sink.close(1011, "The record cannot be read.");
        leave(client);
      });
      return () => leave(client);
    },
    deleted: (sessionId) => tell({ type: "deleted", sessionId }),
    close: (code, reason) => {
      for (const { sink } of clients) sink.close(code, reason);
      clients.clear();
      end();
    },
    size: () => clients.size,
  };
};
