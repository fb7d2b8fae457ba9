/** Long texts in `artifacts`, each under the id that is made from it. */
import type { ArtifactId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { toArtifactId } from "../artifact-ref.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import type { Statements } from "./statements.ts";

export const insertArtifact = (statements: Statements, sessionId: SessionId, artifactId: ArtifactId, text: string): void => {
  statements("INSERT INTO artifacts (session_id, artifact_id, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING").run(
    toColumnText(sessionId),
    artifactId,
    toColumnText(text),
  );
};

/** Throws `store_corrupt` where the text is not the one that was written. */
export const readArtifact = (statements: Statements, sessionId: SessionId, artifactId: ArtifactId): string | undefined => {
  const row = statements("SELECT text FROM artifacts WHERE session_id = ? AND artifact_id = ?").get(
    toColumnText(sessionId),
    toColumnText(artifactId),
  );
  if (row === undefined) return undefined;
  const text = fromColumnText(String(row["text"]));
  if (toArtifactId(text) !== artifactId)
    throw new RetinueError("store_corrupt", `Artifact ${artifactId} of ${sessionId} is damaged.`);
  return text;
};
