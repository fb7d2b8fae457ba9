/** Reads a store's file without any code of the store: what another program would find in it. */
import { hash } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RecordedEvent } from "@retinue/protocol";

export type Record = {
  readonly events: readonly RecordedEvent[];
  /** What is wrong with the file or its chain of hashes. */
  readonly faults: readonly string[];
};

const NOTHING: Record = { events: [], faults: [] };

export const readRecord = (file: string): Record => {
  if (!existsSync(file)) return NOTHING;
  const db = new DatabaseSync(file);
  try {
    const [check] = db.prepare("PRAGMA integrity_check(1)").all();
    const faults = check?.["integrity_check"] === "ok" ? [] : [`integrity_check says ${String(check?.["integrity_check"])}`];
    const rows = db.prepare("SELECT body, hash FROM events ORDER BY id").all();
    const events: RecordedEvent[] = [];
    let previous = "0".repeat(64);
    for (const [index, row] of rows.entries()) {
      const body = String(row["body"]);
      const event = JSON.parse(body) as RecordedEvent;
      previous = hash("sha256", previous + body, "hex");
      if (row["hash"] !== previous) faults.push(`the hash of event ${event.seq} does not follow from those before`);
      if (event.seq !== index + 1) faults.push(`event ${index + 1} says that it is event ${event.seq}`);
      events.push(event);
    }
    const [session, ...more] = db.prepare("SELECT head_seq, head_hash FROM sessions").all();
    if (more.length > 0) faults.push(`there are ${more.length + 1} sessions`);
    if ((session?.["head_seq"] ?? 0) !== events.length) faults.push("the session does not end at its last event");
    if (session !== undefined && session["head_hash"] !== previous) faults.push("the session's hash is not its last event's");
    return { events, faults };
  } finally {
    db.close();
  }
};

/** Reads a copy, so that whoever opens the file next finds it as the crash left it. */
export const readCrashed = (file: string): Record => {
  const scratch = mkdtempSync(path.join(path.dirname(file), "crashed-"));
  try {
    for (const end of ["", "-wal"])
      if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, path.join(scratch, `copy.db${end}`));
    return readRecord(path.join(scratch, "copy.db"));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};
