/**
 * The rows of model calls that have not ended. A call that ends soon is written once, at its end; one that lasts gets its row
 * with the next transaction, and the pause after the last append brings one. Whoever reads in this process has them all written first.
 */
import type { RunId } from "@retinue/protocol";
import { toColumnText } from "../column-text.ts";
import type { RunProjection } from "../project.ts";
import { underWayOf } from "../project.ts";
import type { Statements } from "./statements.ts";

export type UnderWayRows = {
  /** A run is at this now. */
  readonly note: (runId: RunId, sessionNumber: number, projection: RunProjection) => void;
  /** Writes the rows of calls that have lasted a while; inside a transaction, as is `catchUp`. */
  readonly writeLasting: () => void;
  /** Whether there are calls without a row. */
  readonly isBehind: () => boolean;
  /** Writes the rows of all of them. */
  readonly catchUp: () => void;
  /** What is known of a run comes from its events: the row of its open call may stand there, whoever wrote it. */
  readonly doubt: (projection: RunProjection) => void;
  /** A row is about to be written whole; true where one that was written before its call ended may be in its place. */
  readonly takePlace: (id: number) => boolean;
  readonly forget: () => void;
};

/** Shorter than the pause after which the store does what it has put off. */
export const LASTING_MS = 200;

type Unwritten = { readonly sessionNumber: number; readonly projection: RunProjection; readonly at: number };

export const createUnderWayRows = (statements: Statements): UnderWayRows => {
  /** The oldest first. */
  const unwritten = new Map<RunId, Unwritten>();
  /** By the ids of their calls. */
  const written = new Set<number>();

  const write = ({ sessionNumber, projection }: Unwritten): void => {
    const operation = underWayOf(projection);
    if (operation === undefined) return;
    const { id, columns, values } = operation;
    written.add(id);
    // Whoever went on with the run meanwhile has written more, and who deleted its session wants nothing of it.
    statements(
      `INSERT OR IGNORE INTO messages (${columns.join(", ")})
         SELECT ${columns.map(() => "?").join(", ")} WHERE EXISTS (SELECT 1 FROM sessions WHERE number = ?)`,
    ).run(...values.map((value) => (typeof value === "string" ? toColumnText(value) : value)), sessionNumber);
  };

  const writeUntil = (at: number): void => {
    for (const [runId, call] of unwritten) {
      if (call.at > at) return;
      write(call);
      unwritten.delete(runId);
    }
  };

  return {
    note: (runId, sessionNumber, projection) => {
      if (unwritten.size > 0) unwritten.delete(runId);
      if (projection.step?.opening) unwritten.set(runId, { sessionNumber, projection, at: performance.now() });
    },
    writeLasting: () => {
      if (unwritten.size > 0) writeUntil(performance.now() - LASTING_MS);
    },
    isBehind: () => unwritten.size > 0,
    catchUp: () => writeUntil(Infinity),
    doubt: ({ step }) => {
      if (step?.opening) written.add(step.id);
    },
    takePlace: (id) => written.size > 0 && written.delete(id),
    forget: () => {
      unwritten.clear();
      written.clear();
    },
  };
};
