/** Long texts and bytes in `artifacts`, each under the id that is made from it. */
import type { ArtifactId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { SQLOutputValue } from "node:sqlite";
import { toArtifactId } from "../artifact-ref.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import type { StoredArtifact } from "../stored-artifact.ts";
import type { Statements } from "./statements.ts";

export const insertArtifact = (statements: Statements, sessionId: SessionId, artifact: StoredArtifact): void => {
  const { artifactId, data, mediaType } = artifact;
  statements(
    "INSERT INTO artifacts (session_id, artifact_id, text, data, media_type) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  ).run(
    toColumnText(sessionId),
    artifactId,
    typeof data === "string" ? toColumnText(data) : "",
    typeof data === "string" ? null : data,
    mediaType === null ? null : toColumnText(mediaType),
  );
};

const COLUMNS = "artifact_id, text, data, media_type";

const fromArtifactRow = (row: Record<string, SQLOutputValue>): StoredArtifact => ({
  artifactId: String(row["artifact_id"]) as ArtifactId,
  data: row["data"] instanceof Uint8Array ? row["data"] : fromColumnText(String(row["text"])),
  mediaType: typeof row["media_type"] === "string" ? fromColumnText(row["media_type"]) : null,
});

/** Throws `store_corrupt` where the content is not the one that was written. */
export const readArtifact = (
  statements: Statements,
  sessionId: SessionId,
  artifactId: ArtifactId,
): StoredArtifact | undefined => {
  const row = statements(`SELECT ${COLUMNS} FROM artifacts WHERE session_id = ? AND artifact_id = ?`).get(
    toColumnText(sessionId),
    toColumnText(artifactId),
  );
  if (row === undefined) return undefined;
  const artifact = fromArtifactRow(row);
  if (toArtifactId(artifact.data) !== artifactId)
    throw new RetinueError("store_corrupt", `Artifact ${artifactId} of ${sessionId} is damaged.`);
  return artifact;
};

/** All artifacts of a session, in the order in which they were written; unchecked. */
export function* eachArtifact(statements: Statements, sessionId: SessionId): Generator<StoredArtifact> {
  const rows = statements(`SELECT ${COLUMNS} FROM artifacts WHERE session_id = ? ORDER BY id`).iterate(toColumnText(sessionId));
  for (const row of rows) yield fromArtifactRow(row);
}
