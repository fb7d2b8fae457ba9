/** `artifact:art_…` names a text that the session keeps. Only tools that declare it take such a name; it never names a file. */
import type { ArtifactId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Artifacts } from "./artifacts.ts";

const PREFIX = "artifact:";

export const isArtifactPath = (named: string): boolean => named.startsWith(PREFIX);

/** The text of an artifact, or undefined where the path names a file. */
export const readArtifactPath = async (named: string, artifacts: Artifacts): Promise<string | undefined> => {
  if (!isArtifactPath(named)) return undefined;
  const id = named.slice(PREFIX.length).trim();
  const text = isArtifactId(id) ? await artifacts.read(id) : undefined;
  if (text === undefined)
    throw new RetinueError("tool_failed", `Unknown artifact "${id}" in this session.`, {
      hint: 'Copy the whole name, as in "artifact:art_…".',
    });
  return text;
};

const isArtifactId = (id: string): id is ArtifactId => /^art_[\w-]+$/.test(id);
