/** The tables of a SQLite store, as ordered migrations: each takes a file from the version before to its own. */

import type { DatabaseSync } from "node:sqlite";
import { fillApprovals } from "./fill-approvals.ts";
import { fillFigures } from "./fill-figures.ts";

/** "RETN": marks a SQLite file as ours. */
export const APPLICATION_ID = 0x5245544e;

export type Migration = {
  readonly version: number;
  readonly sql: string;
  /** Fills what only the projection of the recorded events can tell; after the statements, in the same transaction. */
  readonly fill?: (db: DatabaseSync) => void;
};

const SAID_WITHOUT_BEGINNINGS = "fts5(text, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2')";

/**
 * Holds no text of its own: what was said stands in the events. Beginnings of two and three letters, which many words have,
 * are indexed as words are; longer ones are found by the few words that have them.
 */
export const SAID = "fts5(text, content='', columnsize=0, prefix='2 3', tokenize='unicode61 remove_diacritics 2')";

const CREATE = `
CREATE TABLE sessions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    workspace TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    run_count INTEGER NOT NULL,
    message_count INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    unpriced_calls INTEGER NOT NULL,
    head_seq INTEGER NOT NULL,
    head_hash TEXT NOT NULL,
    indexed_seq INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_sessions_unindexed ON sessions(number) WHERE indexed_seq < head_seq;

CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    type TEXT NOT NULL,
    at TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
);

CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    session_number INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    epoch INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_runs_session ON runs(session_number);

CREATE TABLE artifacts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (session_id, artifact_id)
);

CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    parent_message_id INTEGER,
    started_at TEXT NOT NULL,
    completed_at TEXT,
    duration_ms INTEGER,
    agent_role TEXT,
    agent_depth INTEGER DEFAULT 0,
    model_id TEXT,
    system_prompt_id TEXT,
    request_type TEXT,
    request_content TEXT,
    context_mode TEXT,
    context_token_count INTEGER,
    response_content TEXT,
    response_summary TEXT,
    tool_calls_json TEXT,
    files_modified_json TEXT,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    total_tokens INTEGER,
    iteration_count INTEGER DEFAULT 0,
    max_iterations INTEGER,
    max_duration_ms INTEGER,
    bailout_reason TEXT,
    status TEXT DEFAULT 'pending',
    error_message TEXT,
    metadata_json TEXT,
    run_id TEXT,
    seq INTEGER,
    step INTEGER,
    tool_name TEXT,
    call_id TEXT,
    effect TEXT,
    approval TEXT,
    approval_reason TEXT,
    outcome TEXT,
    error_code TEXT,
    files_created_json TEXT,
    artifact_id TEXT,
    cached_tokens INTEGER,
    reasoning_tokens INTEGER,
    cost_usd REAL,
    FOREIGN KEY (parent_message_id) REFERENCES messages(id),
    FOREIGN KEY (session_id) REFERENCES sessions(session_id)
);
CREATE INDEX idx_messages_session ON messages(session_id);
CREATE INDEX idx_messages_parent ON messages(parent_message_id);
CREATE INDEX idx_messages_role ON messages(agent_role);
CREATE INDEX idx_messages_depth ON messages(agent_depth);
CREATE INDEX idx_messages_started ON messages(started_at);
CREATE INDEX idx_messages_status ON messages(status);

CREATE VIRTUAL TABLE said USING ${SAID_WITHOUT_BEGINNINGS};
INSERT INTO said(said, rank) VALUES ('secure-delete', 1);
`;

/** Who drives which run, and the figures of each session: `figures.ts` and `holder-table.ts` say how they are kept. */
const HOLDERS_AND_FIGURES = `
ALTER TABLE runs ADD COLUMN holder TEXT;
ALTER TABLE runs ADD COLUMN held_since TEXT;
CREATE TABLE holders (
    holder TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    space TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    beat_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE counted (
    session_number INTEGER PRIMARY KEY,
    head_seq INTEGER NOT NULL
);
CREATE TABLE figures (
    session_number INTEGER NOT NULL,
    hour TEXT NOT NULL,
    agent TEXT,
    parent TEXT,
    depth INTEGER,
    model TEXT,
    bailout TEXT,
    runs INTEGER NOT NULL,
    completed INTEGER NOT NULL,
    partial INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    timeout INTEGER NOT NULL,
    duration INTEGER NOT NULL,
    model_calls INTEGER NOT NULL,
    prompt INTEGER NOT NULL,
    completion INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    reasoning INTEGER NOT NULL,
    cost REAL NOT NULL,
    unpriced INTEGER NOT NULL,
    tool_calls INTEGER NOT NULL,
    tool_failures INTEGER NOT NULL
);
CREATE INDEX idx_figures_session ON figures(session_number);
`;

/** A call's duration is its own; it was the time that its run had worked until then. */
const OWN_DURATIONS = `
UPDATE messages SET duration_ms = elapsed_ms(started_at, completed_at)
  WHERE request_type IN ('continuation', 'tool_call') AND duration_ms IS NOT NULL;
`;

/** The index is made anew: everything is to be indexed again. */
const BEGINNINGS = `
DROP TABLE said;
CREATE VIRTUAL TABLE said USING ${SAID};
INSERT INTO said(said, rank) VALUES ('secure-delete', 1);
UPDATE sessions SET indexed_seq = 0 WHERE indexed_seq > 0;
`;

/** A model call has a row when it has ended; what is under way stands in the events alone. */
const ENDED_MODEL_CALLS = `
UPDATE sessions SET message_count = message_count - (
  SELECT COUNT(*) FROM messages m
    WHERE m.session_id = sessions.session_id AND m.request_type = 'continuation' AND m.status = 'running');
DELETE FROM messages WHERE request_type = 'continuation' AND status = 'running';
`;

/**
 * Inputs, open questions and the latest main run are found without reading a session. Each has a table or an index that a step of
 * an agent does not touch: an index over all events would cost a page more at every commit.
 */
const INPUTS = `
ALTER TABLE runs ADD COLUMN is_root INTEGER NOT NULL DEFAULT 0;
UPDATE runs SET is_root = 1 WHERE message_id IN (SELECT id FROM messages WHERE agent_depth = 0);
CREATE INDEX idx_runs_root ON runs(session_number, message_id) WHERE is_root = 1;
CREATE TABLE inputs (
    run_id TEXT NOT NULL,
    event_id INTEGER NOT NULL,
    PRIMARY KEY (run_id, event_id)
) WITHOUT ROWID;
CREATE INDEX idx_inputs_event ON inputs(event_id);
INSERT INTO inputs SELECT run_id, id FROM events
  WHERE type IN ('message.received', 'approval.answered', 'cancel.requested');
CREATE TABLE approvals (
    run_id TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    event_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    expires_at TEXT,
    closed TEXT,
    PRIMARY KEY (run_id, approval_id)
) WITHOUT ROWID;
CREATE INDEX idx_approvals_event ON approvals(event_id);
CREATE INDEX idx_approvals_open ON approvals(event_id) WHERE closed IS NULL;
CREATE TABLE snapshots (
    run_id TEXT NOT NULL UNIQUE,
    event_id INTEGER NOT NULL,
    format TEXT NOT NULL,
    state TEXT NOT NULL,
    digest TEXT NOT NULL
);
CREATE INDEX idx_snapshots_event ON snapshots(event_id);
ALTER TABLE artifacts ADD COLUMN data BLOB;
ALTER TABLE artifacts ADD COLUMN media_type TEXT;
`;

/** The order in which sessions were last written to, whatever the clocks said. */
const TOUCHES = `
ALTER TABLE sessions ADD COLUMN touch INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET touch = ranked.place
  FROM (SELECT number, row_number() OVER (ORDER BY updated_at, number) AS place FROM sessions) AS ranked
  WHERE ranked.number = sessions.number;
CREATE INDEX idx_sessions_touch ON sessions(touch);
`;

/** Of sessions that came from an export. */
const IMPORTED = `
ALTER TABLE sessions ADD COLUMN imported_at TEXT;
`;

/** The prompts of roles, by the id that rows of `messages` name them by; for whoever reads with SQL alone. */
const SYSTEM_PROMPTS = `
CREATE VIEW system_prompts AS SELECT m.session_id, m.system_prompt_id, m.agent_role,
    substr(json_extract(e.body, '$.spec.system'), 1, coalesce(json_extract(e.body, '$.spec.roleChars'), 1000000000)) AS prompt
  FROM runs r JOIN messages m ON m.id = r.message_id JOIN events e ON e.id = r.message_id
  GROUP BY m.session_id, m.system_prompt_id;
`;

/** Sessions that are gone for whoever reads, and of which something is left: `session-removal.ts` says how it goes. */
const REMOVALS = `
CREATE TABLE removals (
    session_number INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    indexed_seq INTEGER NOT NULL
);
`;

/** Turns that wait; a row is gone when its turn begins or is taken back. */
const QUEUED_TURNS = `
CREATE TABLE queued_turns (
    event_id INTEGER PRIMARY KEY,
    turn_id TEXT NOT NULL
);
`;

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: CREATE },
  { version: 2, sql: HOLDERS_AND_FIGURES },
  { version: 3, sql: OWN_DURATIONS },
  { version: 4, sql: BEGINNINGS },
  { version: 5, sql: ENDED_MODEL_CALLS },
  { version: 6, sql: INPUTS, fill: fillApprovals },
  { version: 7, sql: TOUCHES },
  { version: 8, sql: IMPORTED },
  { version: 9, sql: SYSTEM_PROMPTS },
  { version: 10, sql: REMOVALS },
  { version: 11, sql: QUEUED_TURNS },
  { version: 12, sql: "", fill: fillFigures },
];
