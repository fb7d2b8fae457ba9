/** What running test cases needs from outside: sessions in which calls are made and plans are carried out, and the record of them. */
import type { BrowserSurroundings, Desktop, DialogAnswer, KnownElement, Suite } from "@retinue/protocol/test-case";
import type { CallOutcome, GivenCall, Plan, RecordedEvent, RetinueEvent, SessionId } from "@retinue/protocol";

export type Within = {
  /** Begins with the first thing that is done in it. */
  readonly sessionId: SessionId;
  readonly isNew: boolean;
  readonly signal: AbortSignal;
  /** Told of everything that happens in it, recorded or live. */
  readonly onEvent?: ((event: RetinueEvent) => void) | undefined;
};

/** What a case wants of its browser. */
export type WantedBrowser = BrowserSurroundings & {
  readonly baseUrl?: string | undefined;
  readonly dialogs: readonly DialogAnswer[];
  /** Hosts of the application under test, which may be private. */
  readonly allowHosts: readonly string[];
  /** Names of secrets that may be typed into pages of these hosts. */
  readonly secrets: readonly string[];
  readonly inbox?: Suite["inbox"];
  /** Where recorded acts are done again. */
  readonly recorded?: { readonly elements: readonly KnownElement[]; readonly mayHeal: boolean } | undefined;
  /** The role that it begins logged in as, by `roleOf`. */
  readonly role?: string | undefined;
};

/** Why something was not done to its end. */
export type Fault = { readonly code: string; readonly message: string };

export type QaPorts = {
  /** Makes calls one after the other, until one fails unless `all` are wanted. */
  readonly makeCalls: (
    words: string,
    given: { readonly calls: readonly GivenCall[]; readonly all?: boolean },
    within: Within,
  ) => Promise<{ readonly outcomes: readonly CallOutcome[]; readonly fault: Fault | null }>;
  /** Has the orchestrator break a case into sub-tasks. */
  readonly planCase: (text: string, within: Within) => Promise<{ readonly plan: Plan | null; readonly fault: Fault | null }>;
  /** Carries out a plan, one step after the other. */
  readonly carryOut: (
    plan: Plan,
    within: Within & { readonly timeoutMs?: number | undefined },
  ) => Promise<{ readonly fault: Fault | null }>;
  /** Runs a whole case by one agent, without a plan. */
  readonly runFlat: (task: string, within: Within) => Promise<{ readonly fault: Fault | null }>;
  readonly newSessionId: () => SessionId;
  /** How the browser of a session is to look, before its first call. */
  readonly configureBrowser: (sessionId: SessionId, wanted: WantedBrowser) => void;
  /** The screen of a session, before its first call, and the names of secrets that may be typed on it. */
  readonly configureDesktop?: (sessionId: SessionId, wanted: Desktop, secrets: readonly string[]) => void;
  /** What is to be told of the browser of a case that is over, such as dialogs that nobody spoke of. */
  readonly browserProblems?: (sessionId: SessionId) => readonly string[];
  readonly events: (sessionId: SessionId) => Promise<readonly RecordedEvent[]>;
  readonly now: () => number;
};
