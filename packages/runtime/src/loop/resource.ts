/**
 * What tools hold open while they work, such as a browser: opened when a call first needs it, shared by all calls of a run or of a session, and closed
 * for sure. Tools that name the same resource share what it opened. Whoever hosts the loop keeps it (`Resources`).
 */
import type { RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";

export type OpenContext = {
  readonly sessionId: SessionId;
  /** Null for a resource of a session. */
  readonly runId: RunId | null;
  /** The folder that the run works in; for a resource of a session, the folder of the session. */
  readonly workspace: string;
  /** Aborted when the resource is to be closed; what is opened in spite of it is closed at once. */
  readonly signal: AbortSignal;
};

export type Resource<Held = unknown> = {
  /** For messages. */
  readonly name: string;
  /** `run`: each run has its own, sub-agents too. `session`: all runs of a session share one, and so do its turns as long as the process lives. */
  readonly per: "run" | "session";
  /** How long closing may take before it is told and waited for no longer. */
  readonly closeMs: number;
  open(context: OpenContext): Promise<Held>;
  close(held: Held): Promise<void>;
};

/** A resource of some kind. `open` and `close` are methods so that any resource is one; it closes only what it opened. */
export type AnyResource = Resource;

export type ResourceOptions<Held> = {
  readonly name: string;
  readonly per: "run" | "session";
  readonly open: (context: OpenContext) => Promise<Held> | Held;
  readonly close: (held: Held) => Promise<void> | void;
  /** Five seconds by default. */
  readonly closeMs?: number;
};

export const defineResource = <Held>({ name, per, open, close, closeMs = 5_000 }: ResourceOptions<Held>): Resource<Held> => {
  if (name.trim() === "") throw new RetinueError("usage", "A resource needs a name.", { hint: 'Give one, such as "browser".' });
  return { name, per, closeMs, open: async (context) => open(context), close: async (held) => close(held) };
};

/** Keeps what is open. */
export type Resources = {
  /** What the resource has opened; it is opened where it is not. Rejects where that fails, and then the next call tries again. */
  readonly take: (resource: AnyResource) => Promise<unknown>;
};

const UNCLOSED = "Left open: ";

/** How a result tells of what could not be closed. */
export const toUnclosedWarning = ({ name }: Pick<Resource, "name">, why: string): string => `${UNCLOSED}${name} ${why}`;

export const isUnclosedWarning = (warning: string): boolean => warning.startsWith(UNCLOSED);
