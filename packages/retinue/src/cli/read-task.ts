/** The task of a run: the words of the command line, what is piped in, or both. Refused when empty or larger than 8 MiB. */
import { fstatSync } from "node:fs";
import { RetinueError } from "@retinue/protocol";
import type { Readable } from "node:stream";

const MOST_BYTES = 8 * 1024 * 1024;

const tooLarge = (): RetinueError => new RetinueError("task_too_large", "The task is larger than 8 MiB.");

const readAll = async (input: Readable): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of input) {
      const buffer = Buffer.from(chunk as Uint8Array | string);
      bytes += buffer.length;
      if (bytes > MOST_BYTES) throw tooLarge();
      chunks.push(buffer);
    }
  } catch (thrown) {
    if (thrown instanceof RetinueError) throw thrown;
    throw new RetinueError("usage", "Standard input cannot be read.", { cause: thrown });
  }
  return Buffer.concat(chunks).toString("utf8");
};

type Input = Readable & { readonly isTTY?: boolean; readonly fd?: unknown };

/** Something was piped in, or a file given as input: neither a terminal, nor nothing, nor what a program that starts us left open. */
const isPipedIn = ({ fd }: Input): boolean => {
  if (typeof fd !== "number") return false;
  try {
    const stats = fstatSync(fd);
    return stats.isFIFO() || stats.isFile();
  } catch {
    return false;
  }
};

const PATIENCE_MS = 3_000;

/**
 * `words` empty, or just `-`: standard input, unless that is a terminal. What is piped in joins the words; a `-` after them reads standard input whatever it is.
 * `told` hears of a pipe that nothing comes from.
 */
export const readTask = async (words: readonly string[], input: Input, told?: (notice: string) => unknown): Promise<string> => {
  const isAsked = words.at(-1) === "-";
  const said = (isAsked ? words.slice(0, -1) : words).join(" ");
  const isRead = isAsked || (said === "" ? input.isTTY !== true : isPipedIn(input));
  const piped = isRead ? await readPatiently(input, told) : "";
  const isMore = piped.trim() !== "";
  const task = said === "" ? piped : isMore ? `${said}\n\n${piped}` : said;
  if (Buffer.byteLength(task) > MOST_BYTES) throw tooLarge();
  if (task.trim() === "") throw new RetinueError("task_empty", "There is no task.");
  return task;
};

const readPatiently = async (input: Input, told: ((notice: string) => unknown) | undefined): Promise<string> => {
  const timer = setTimeout(
    () => told?.("retinue: waiting for the end of standard input, which joins the task; give </dev/null where there is none.\n"),
    PATIENCE_MS,
  );
  try {
    return await readAll(input);
  } finally {
    clearTimeout(timer);
  }
};
