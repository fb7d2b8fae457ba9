/** Long texts and bytes in `artifacts`, in PostgreSQL. */
import type { ArtifactId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { toArtifactId } from "../artifact-ref.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import type { StoredArtifact } from "../stored-artifact.ts";
import type { Query, Row } from "./database.ts";
import { toNameKey } from "./name-key.ts";

export const insertArtifact = async (query: Query, sessionId: SessionId, artifact: StoredArtifact): Promise<void> => {
  const { artifactId, data, mediaType } = artifact;
  await query(
    "INSERT INTO ~artifacts (session_id, artifact_id, text, data, media_type) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    [
      toNameKey(sessionId),
      artifactId,
      typeof data === "string" ? toColumnText(data) : "",
      typeof data === "string" ? null : Buffer.from(data.buffer, data.byteOffset, data.byteLength),
      mediaType === null ? null : toColumnText(mediaType),
    ],
  );
};

const COLUMNS = "artifact_id, text, data, media_type";

const fromArtifactRow = (row: Row): StoredArtifact => ({
  artifactId: String(row["artifact_id"]) as ArtifactId,
  data: row["data"] instanceof Uint8Array ? new Uint8Array(row["data"]) : fromColumnText(String(row["text"])),
  mediaType: typeof row["media_type"] === "string" ? fromColumnText(row["media_type"]) : null,
});

/** Throws `store_corrupt` where the content is not the one that was written. */
export const readArtifact = async (
  query: Query,
  sessionId: SessionId,
  artifactId: ArtifactId,
): Promise<StoredArtifact | undefined> => {
  const [row] = await query(`SELECT ${COLUMNS} FROM ~artifacts WHERE session_id = $1 AND artifact_id = $2`, [
    toNameKey(sessionId),
    toColumnText(artifactId),
  ]);
  if (row === undefined) return undefined;
  const artifact = fromArtifactRow(row);
  if (toArtifactId(artifact.data) !== artifactId)
    throw new RetinueError("store_corrupt", `Artifact ${artifactId} of ${sessionId} is damaged.`);
  return artifact;
};

/** All artifacts of a session, in the order in which they were written; unchecked. */
export const readArtifacts = async (query: Query, sessionId: SessionId): Promise<readonly StoredArtifact[]> =>
  (await query(`SELECT ${COLUMNS} FROM ~artifacts WHERE session_id = $1 ORDER BY id`, [toNameKey(sessionId)])).map(
    fromArtifactRow,
  );
