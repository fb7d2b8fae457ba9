/** Statements that take a store back to the schema it had before inputs, questions and snapshots were found by index, and imports were marked. */
const tables = (prefix: string): string => `
  DROP VIEW ${prefix}system_prompts;
  DROP INDEX ${prefix}idx_sessions_touch;
  ALTER TABLE ${prefix}sessions DROP COLUMN touch;
  DROP TABLE ${prefix}approvals;
  DROP TABLE ${prefix}snapshots;
  DROP TABLE ${prefix}queued_turns;
  DROP INDEX ${prefix}idx_runs_root;
  ALTER TABLE ${prefix}runs DROP COLUMN is_root;
  ALTER TABLE ${prefix}artifacts DROP COLUMN data;
  ALTER TABLE ${prefix}artifacts DROP COLUMN media_type;
  ALTER TABLE ${prefix}sessions DROP COLUMN imported_at;
`;

/** To schema 5 of SQLite. */
export const TO_SQLITE_5 = `${tables("")} DROP TABLE inputs; DROP TABLE removals; PRAGMA user_version = 5;`;

/** To version 4 of PostgreSQL, in a schema. */
export const toPostgres4 = (schema: string): string => `${tables(`${schema}.`)}
  DROP INDEX ${schema}.idx_events_run;
  DROP INDEX ${schema}.idx_events_inputs;
  UPDATE ${schema}.retinue_store SET version = 4;`;
