/** A text file as it stands on disk, and the proof that it still stands so. Only what comes back byte for byte when it is written is text. */
import { createHash } from "node:crypto";
import { RetinueError } from "@retinue/protocol";
import type { FileToOpen } from "@retinue/confine";
import { openRegularFile } from "@retinue/confine";
import { formatBytes } from "@retinue/confine";

export type TextFile = {
  /** Without the byte order mark. */
  readonly text: string;
  readonly byteOrderMark: boolean;
  readonly hash: string;
  readonly hardLinks: number;
};

const MAX_BYTES = 10_000_000;
const BYTE_ORDER_MARK = "\uFEFF";

export const readTextFile = async (file: FileToOpen): Promise<TextFile> => {
  const { handle, size } = await openRegularFile(file);
  try {
    if (size > MAX_BYTES)
      throw new RetinueError(
        "tool_failed",
        `${file.shown} has ${formatBytes(size)}; at most ${formatBytes(MAX_BYTES)} are edited.`,
        {
          hint: "Change it by a command.",
        },
      );
    const bytes = await handle.readFile();
    const text = decode(bytes, file.shown);
    const byteOrderMark = text.startsWith(BYTE_ORDER_MARK);
    return {
      text: byteOrderMark ? text.slice(1) : text,
      byteOrderMark,
      hash: createHash("sha256").update(bytes).digest("hex"),
      hardLinks: (await handle.stat()).nlink,
    };
  } finally {
    await handle.close();
  }
};

/** The whole content for a file whose text has changed. */
export const toContent = ({ byteOrderMark }: TextFile, text: string): string => (byteOrderMark ? BYTE_ORDER_MARK + text : text);

const decode = (bytes: Buffer, shown: string): string => {
  if (bytes.includes(0))
    throw new RetinueError("tool_failed", `${shown} is a binary file.`, { hint: "Only text in UTF-8 is edited." });
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RetinueError("tool_failed", `${shown} is not in UTF-8.`, {
      hint: "Only text in UTF-8 is edited; convert it by a command.",
    });
  }
};
