/** What the operating system says when a file act fails, as a sentence for a model. */
import { RetinueError } from "@retinue/protocol";

const SENTENCES: Record<string, string> = {
  ENOENT: "does not exist",
  ENOTDIR: "leads through something that is no folder",
  EISDIR: "is a folder",
  EACCES: "may not be accessed",
  EPERM: "may not be changed",
  ELOOP: "is or leads through a symbolic link",
  ENAMETOOLONG: "is too long a name",
  ENOSPC: "could not be written: the disk is full",
  EDQUOT: "could not be written: the quota is used up",
  EROFS: "is on a read-only disk",
  EMFILE: "could not be opened: too many files are open",
  ENXIO: "is no regular file",
};

export const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;

/** `shown` is the path as the model reads it. What is no system error comes back as it is. */
export const toToolError = (thrown: unknown, shown: string): unknown => {
  const code = codeOf(thrown);
  if (thrown instanceof RetinueError || code === undefined) return thrown;
  return new RetinueError("tool_failed", `${shown} ${SENTENCES[code] ?? `could not be used (${code})`}.`, { cause: thrown });
};
