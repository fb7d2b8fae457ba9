/** A SQLite database in memory that is fed from elsewhere and only read. */
import type { EventDraft, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { toColumnText } from "../column-text.ts";
import type { ReadSide } from "../read-side.ts";
import type { StoredArtifact } from "../stored-artifact.ts";
import { insertArtifact } from "./artifact-table.ts";
import { createFigureTable } from "./figure-table.ts";
import { openMemoryDatabase } from "./open-database.ts";
import { createRecorder } from "./recorder.ts";
import { createSearchIndex } from "./search-index.ts";
import { createSessionRemoval } from "./session-removal.ts";
import { createSqliteReadSide } from "./sqlite-read-side.ts";
import { createStatements } from "./statements.ts";
import { createWriteQueue } from "./write-queue.ts";

export type CopiedStretch = {
  readonly sessionId: SessionId;
  readonly events: readonly RecordedEvent[];
  readonly epochs: readonly (readonly [RunId, number])[];
  readonly artifacts: readonly StoredArtifact[];
  readonly importedAt: string | null;
};

export type MemoryDatabase = { readonly readSide: ReadSide; readonly copy: (stretch: CopiedStretch) => Promise<void> };

export const createMemoryDatabase = (): MemoryDatabase => {
  const db = openMemoryDatabase();
  const path = "the store in memory";
  const statements = createStatements(db);
  const recorder = createRecorder({ statements, isAlone: true });
  const searchIndex = createSearchIndex(statements);
  const removal = createSessionRemoval(statements, searchIndex);
  const queue = createWriteQueue({
    db,
    path,
    busyMs: 0,
    began: () => {},
    settling: recorder.settle,
    rolledBack: recorder.forget,
  });
  return {
    readSide: createSqliteReadSide({
      db,
      path,
      statements,
      searchIndex,
      removal,
      figures: createFigureTable(statements),
      queue,
      // Nobody drives a copy: who feeds it knows.
      holdersOf: () => new Map(),
      refuseHeldSession: () => {},
      recorder,
      open: () => {},
    }),
    copy: async ({ sessionId, events, epochs, artifacts, importedAt }) =>
      queue.write(() => {
        if (events.length > 0) recorder.record(sessionId, events.map(withoutSeq));
        const setEpoch = statements("UPDATE runs SET epoch = ? WHERE run_id = ?");
        for (const [runId, epoch] of epochs) setEpoch.run(epoch, toColumnText(runId));
        if (importedAt !== null)
          statements("UPDATE sessions SET imported_at = ? WHERE session_id = ?").run(importedAt, toColumnText(sessionId));
        for (const artifact of artifacts) insertArtifact(statements, sessionId, artifact);
      }),
  };
};

/** The database numbers them again, and comes to the same numbers. */
const withoutSeq = (event: RecordedEvent): EventDraft => {
  const { seq: _seq, ...draft } = event;
  return draft;
};
