/** The task of a run: the words of the command line, or what is piped in. Refused when empty or larger than 8 MiB. */
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

/** `words` empty, or just `-`: standard input, unless that is a terminal. A `-` after other words joins what is piped in to them. */
export const readTask = async (words: readonly string[], input: Readable & { readonly isTTY?: boolean }): Promise<string> => {
  const isJoined = words.length > 1 && words.at(-1) === "-";
  const fromInput = words.length === 0 ? input.isTTY !== true : words.at(-1) === "-";
  const said = (isJoined ? words.slice(0, -1) : fromInput ? [] : words).join(" ");
  const piped = fromInput ? await readAll(input) : "";
  const task = isJoined ? `${said}\n\n${piped}` : said + piped;
  if (Buffer.byteLength(task) > MOST_BYTES) throw tooLarge();
  if (task.trim() === "") throw new RetinueError("task_empty", "There is no task.");
  return task;
};
