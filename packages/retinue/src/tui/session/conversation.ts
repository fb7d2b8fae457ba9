/**
 * The sessions that the TUI is concerned with: the conversation, whichever process drives it, and the agents that were started beside it. Everything a person
 * says goes through the record, so that leaving, a crash or another process loses none of it.
 */
import type { RunHandle } from "@retinue/engine";
import type {
  ApproveMode,
  ForkPoint,
  ImagePart,
  RetinueEvent,
  RunId,
  RunResult,
  SessionId,
  TurnId,
  UserPart,
} from "@retinue/protocol";
import { isTurnInput, RetinueError } from "@retinue/protocol";
import { toHandedText } from "@retinue/runtime";
import type { QueuedTurn } from "@retinue/store";
import type { Flagged } from "../../cli/session-options.ts";
import { findSession, isUnsettled } from "../../cli/record/find-session.ts";
import type { Retinue } from "../../create-retinue.ts";
import type { Row } from "../screen/row.ts";
import type { Feed } from "./feed.ts";
import { openFeed } from "./feed.ts";
import type { Transcript } from "./transcript.ts";

export type ConversationOptions = {
  readonly retinue: Retinue;
  /** Its real path. */
  readonly workspace: string;
  readonly agent?: string | undefined;
  readonly flagged: Flagged;
  readonly createTranscript: (kind: "conversation" | "side") => Transcript;
  readonly onRows: (rows: readonly Row[]) => void;
  readonly onFailed: (thrown: unknown) => void;
  readonly now: () => number;
};

/** What holds from the next turn on. */
export type Choices = {
  model?: string;
  agent?: string;
  approve?: ApproveMode;
  forkFrom?: ForkPoint;
  /** What was said before is summarised ahead of the next turn. */
  compact?: true;
  /** Said ahead of the next turn, beside what the user says. */
  note?: string;
};

/** How a session that was opened is gone on with. */
export type Opened = "resumed" | "attached" | "at rest";

export type Conversation = {
  readonly choices: Choices;
  readonly main: () => Feed | undefined;
  /** The conversation first, then what runs beside it. */
  readonly feeds: () => readonly Feed[];
  readonly isWorking: () => boolean;
  /** Texts for after the turn. */
  readonly later: () => readonly string[];
  /** Steers the turn that runs, or begins one. */
  readonly say: (text: string, images?: readonly ImagePart[]) => Promise<void>;
  readonly sayLater: (text: string) => Promise<void>;
  /** The latest of them is taken back; undefined where none waits. Rejects with `message_unknown` where its turn has begun meanwhile. */
  readonly takeBackLater: () => Promise<string> | undefined;
  /** Follows a run that was begun beside the conversation. What came of a task is told to the main agent with its next turn. */
  readonly beside: (run: RunHandle, asked?: Asked) => void;
  /** Follows a session that something else drives, without writing it; until it is told to leave it. */
  readonly watch: (sessionId: SessionId) => () => void;
  readonly open: (name: string) => Promise<Opened>;
  /** The next turn begins a session. */
  readonly startNew: () => void;
  readonly stop: (runId: RunId, finish: boolean) => Promise<void>;
  readonly close: () => void;
};

/** Who was asked for what, beside the conversation. */
export type Asked = { readonly agent: string; readonly task: string };

const MOST_HANDED_CHARS = 4_000;

/** As data: what an agent writes gives no orders to another. */
const wordHandedIn = ({ agent, task }: Asked, { status, details }: RunResult): string => {
  const report = { agent, task, status, said: details.slice(0, MOST_HANDED_CHARS) };
  return `[The user had an agent work beside this conversation: ${toHandedText(report)}]`;
};

export const createConversation = (options: ConversationOptions): Conversation => {
  const { retinue, workspace, flagged, onRows, onFailed, now } = options;
  const choices: Choices = options.agent === undefined ? {} : { agent: options.agent };
  let main: Feed | undefined;
  let side: readonly Feed[] = [];
  let watched: readonly Feed[] = [];
  let later: readonly QueuedTurn[] = [];
  let isStarting = false;
  /** What agents beside the conversation handed in since the latest turn began. */
  let handedIn: readonly string[] = [];
  let queueing: Promise<unknown> = Promise.resolve();

  async function* followWithQueue(...how: Parameters<Retinue["live"]["follow"]>): AsyncGenerator<RetinueEvent, void> {
    for await (const event of retinue.live.follow(...how)) {
      yield event;
      if (isTurnInput(event) || (event.type === "run.requested" && event.queuedTurn !== undefined))
        await readLater(event.sessionId);
    }
  }

  const follow = (sessionId: SessionId, kind: "conversation" | "side", silentUntil = 0): Feed =>
    openFeed({
      sessionId,
      follow: kind === "conversation" ? followWithQueue : retinue.live.follow,
      transcript: options.createTranscript(kind),
      silentUntil,
      now,
      onFailed,
      onRows: (rows) => {
        onRows(rows);
        afterEvent();
      },
    });

  /** As the record has it: another process may have queued, taken back or begun a turn. */
  const readLater = async (sessionId: SessionId): Promise<void> => {
    const waiting = await retinue.live.queuedTurns(sessionId);
    if (main?.sessionId !== sessionId) return;
    later = waiting;
    onRows([]);
  };

  /** Sessions beside that have settled are written; what waits for after the turn begins. */
  const afterEvent = (): void => {
    const ended = side.filter((feed) => feed.root() !== undefined && !feed.isWorking());
    if (ended.length > 0) {
      side = side.filter((feed) => !ended.includes(feed));
      for (const feed of ended) feed.close();
    }
    if (later.length > 0 && !isStarting && main && !main.isWorking()) void beginNext(main.sessionId).catch(onFailed);
  };

  /** Whoever is first begins it: another process on the same record may be. */
  const beginNext = async (sessionId: SessionId): Promise<void> => {
    isStarting = true;
    let next: QueuedTurn | undefined;
    try {
      next = await retinue.live.nextTurn(sessionId);
    } finally {
      isStarting = false;
    }
    if (!next) return;
    try {
      await start(textOf(next.task), [], next.turnId);
    } catch (thrown) {
      if (!(thrown instanceof RetinueError && ["turn_taken", "session_running"].includes(thrown.code))) throw thrown;
    }
  };

  const watch = (run: RunHandle): void => {
    run.result.catch((thrown: unknown) => {
      if (!(thrown instanceof RetinueError && thrown.code === "run_left_open")) onFailed(thrown);
    });
  };

  const noteHandedIn = async (run: RunHandle, asked: Asked): Promise<void> => {
    // What failed is told by whoever watches it.
    const result = await run.result.catch(() => undefined);
    if (result !== undefined) handedIn = [...handedIn, wordHandedIn(asked, result)];
  };

  const start = async (text: string, images: readonly ImagePart[] = [], queuedTurn?: TurnId): Promise<void> => {
    isStarting = true;
    try {
      const { forkFrom, model, agent, approve, compact, note } = choices;
      const run = {
        ...flagged,
        ...(agent === undefined ? {} : { agent }),
        ...(model === undefined ? {} : { model }),
        ...(approve === undefined ? {} : { approve }),
        ...(compact === undefined ? {} : { compact }),
      };
      const told = [...(note === undefined ? [] : [`[${note}]`]), ...handedIn];
      const task = [...told, text].join("\n\n");
      const parts: readonly UserPart[] = [{ type: "text", text: task }, ...images];
      if (forkFrom && images.length > 0)
        throw new RetinueError("usage", "A turn that leaves a session cannot bring images.", {
          hint: "Send them with the turn after it.",
        });
      const handle = forkFrom
        ? await retinue.fork(forkFrom, { task, ...run })
        : await retinue.run(parts, {
            ...run,
            ...(main === undefined ? {} : { sessionId: main.sessionId }),
            ...(queuedTurn === undefined ? {} : { queuedTurn }),
          });
      delete choices.forkFrom;
      delete choices.compact;
      delete choices.note;
      handedIn = handedIn.slice(told.length - (note === undefined ? 0 : 1));
      watch(handle);
      if (main?.sessionId === handle.sessionId) return;
      main?.close();
      main = follow(handle.sessionId, "conversation");
    } finally {
      isStarting = false;
    }
  };

  /** Only the latest turn is written again; the rest stands in the record. */
  const reopen = async (sessionId: SessionId): Promise<void> => {
    const events = await retinue.events(sessionId);
    const latest = events.findLast(({ type, depth }) => type === "run.requested" && depth === 0);
    main?.close();
    main = follow(sessionId, "conversation", latest === undefined ? 0 : latest.seq - 1);
    later = [];
    await readLater(sessionId);
  };

  const takeBack = async ({ sessionId, turnId, task }: QueuedTurn): Promise<string> => {
    later = later.filter((one) => one.turnId !== turnId);
    try {
      await retinue.live.withdrawTurn(sessionId, turnId);
    } finally {
      await readLater(sessionId);
    }
    return textOf(task);
  };

  return {
    choices,
    main: () => main,
    feeds: () => [...(main ? [main] : []), ...side, ...watched],
    isWorking: () => isStarting || main?.isWorking() === true,
    later: () => later.map(({ task }) => textOf(task)),
    say: async (text, images = []) => {
      const root = main?.root();
      if (root && root.state.type !== "settled")
        return retinue.live.send(root.runId, images.length === 0 ? text : [{ type: "text", text }, ...images]);
      return start(text, images);
    },
    sayLater: async (text) => {
      // A first turn that is being started has no session yet.
      if (!main || (!main.isWorking() && !isStarting)) return start(text);
      const { sessionId } = main;
      // One after the other, in the order in which they were said.
      const before = queueing;
      await (queueing = Promise.allSettled([before]).then(() => retinue.live.queueTurn(sessionId, text)));
      await readLater(sessionId);
      // The turn may have ended meanwhile.
      afterEvent();
    },
    takeBackLater: () => {
      const last = later.at(-1);
      return last && takeBack(last);
    },
    beside: (run, asked) => {
      watch(run);
      if (asked !== undefined) void noteHandedIn(run, asked);
      side = [...side, follow(run.sessionId, "side")];
    },
    watch: (sessionId) => {
      const feed = follow(sessionId, "side", Infinity);
      watched = [...watched, feed];
      return () => {
        feed.close();
        watched = watched.filter((one) => one !== feed);
        onRows([]);
      };
    },
    open: async (name) => {
      const session = await findSession(name, { sessions: retinue.sessions, workspace });
      if (session.workspace !== workspace)
        throw new RetinueError("usage", `${session.sessionId} works in ${session.workspace}.`, {
          hint: `Open it there: retinue -C ${session.workspace}`,
        });
      const { sessionId } = session;
      delete choices.forkFrom;
      const agent = (await retinue.sessions.tree(sessionId)).at(-1)?.agent;
      if (agent !== undefined) choices.agent = agent;
      const holder = (await retinue.sessions.holders([sessionId])).get(sessionId);
      const isCutOff = isUnsettled(session) && holder === undefined;
      // Before it is followed: what is refused leaves the screen as it was.
      if (isCutOff) watch(await retinue.resume(sessionId));
      await reopen(sessionId);
      if (isCutOff) return "resumed";
      return isUnsettled(session) ? "attached" : "at rest";
    },
    startNew: () => {
      main?.close();
      main = undefined;
      later = [];
      handedIn = [];
      for (const kept of ["forkFrom", "agent", "compact", "note"] as const) delete choices[kept];
    },
    stop: (runId, finish) => retinue.live.cancel(runId, { reason: "The user stopped the run.", ...(finish ? { finish } : {}) }),
    close: () => {
      main?.close();
      for (const feed of [...side, ...watched]) feed.close();
    },
  };
};

const textOf = (task: readonly UserPart[]): string =>
  task.map((part) => (part.type === "text" ? part.text : "(image)")).join("\n");
