/** `artifact:art_…` names a text that the session keeps; where tools take a path to read, they take this too. */
import type { ArtifactId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Artifacts } from "@retinue/runtime";

const PREFIX = "artifact:";

/** The text of an artifact, or undefined where the path names a file. */
export const readArtifactPath = async (named: string, artifacts: Artifacts): Promise<string | undefined> => {
  if (!named.startsWith(PREFIX)) return undefined;
  const id = named.slice(PREFIX.length).trim();
  const text = isArtifactId(id) ? await artifacts.read(id) : undefined;
  if (text === undefined)
    throw new RetinueError("tool_failed", `There is no artifact "${id}" in this session.`, {
      hint: 'Copy the name whole, as in "artifact:art_…".',
    });
  return text;
};

const isArtifactId = (id: string): id is ArtifactId => /^art_[\w-]+$/.test(id);
