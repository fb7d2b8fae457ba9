/**
 * What agents of this server ask the user by `ask_user`: each question waits here until somebody answers it or its call is over. Where the server is stopped
 * meanwhile, the run is left open with its call, and asks again when it is resumed.
 */
import type { CallId, RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AskUserOptions } from "@retinue/tools";

type AskUser = NonNullable<AskUserOptions["ask"]>;

export type OpenQuestion = {
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly callId: CallId;
  readonly agent: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly askedAt: string;
};

export type AskHub = {
  /** For the tool. */
  readonly ask: AskUser;
  /** Those that wait, oldest first. */
  readonly open: () => readonly OpenQuestion[];
  /** Throws `question_unknown`. */
  readonly answer: (runId: RunId, callId: CallId, text: string) => void;
  /** Told of the session whose questions have changed. */
  readonly watch: (wake: (sessionId: SessionId) => void) => () => void;
};

type Waiting = { readonly question: OpenQuestion; readonly settle: (answer: string | undefined) => void };

/** Ids of calls may come from a model, and are one of a kind only within their run. */
const keyOf = (runId: RunId, callId: CallId): string => JSON.stringify([runId, callId]);

export const createAskHub = (): AskHub => {
  const waiting = new Map<string, Waiting>();
  const watchers = new Set<(sessionId: SessionId) => void>();
  return {
    ask: ({ question, options, run, callId }, signal) =>
      new Promise((resolve) => {
        const { sessionId, runId, agent } = run;
        const key = keyOf(runId, callId);
        const wake = (): void => {
          for (const watcher of watchers) watcher(sessionId);
        };
        const settle = (answer: string | undefined): void => {
          if (!waiting.delete(key)) return;
          resolve(answer);
          wake();
        };
        const askedAt = new Date().toISOString();
        waiting.set(key, { question: { sessionId, runId, callId, agent, question, options, askedAt }, settle });
        if (signal.aborted) settle(undefined);
        else signal.addEventListener("abort", () => settle(undefined), { once: true });
        wake();
      }),
    open: () => [...waiting.values()].map(({ question }) => question),
    answer: (runId, callId, text) => {
      const found = waiting.get(keyOf(runId, callId));
      if (!found) throw new RetinueError("question_unknown", `Run ${runId} asks nothing by the call ${callId} here.`);
      found.settle(text);
    },
    watch: (wake) => {
      watchers.add(wake);
      return () => void watchers.delete(wake);
    },
  };
};
