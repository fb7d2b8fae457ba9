/** Effects that can be counted from outside: each is one line of a file, on the disk before the tool answers. */
import { closeSync, constants, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import path from "node:path";

const fileIn = (folder: string): string => path.join(folder, "effects.log");

const append = (file: string, text: string, point: () => void): void => {
  const descriptor = openSync(file, constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY, 0o600);
  try {
    const bytes = Buffer.from(text);
    point();
    // With a position, so that it is the same system call as the database's; the file appends all the same.
    writeSync(descriptor, bytes, 0, bytes.length, 0);
    point();
    fsyncSync(descriptor);
    point();
  } finally {
    closeSync(descriptor);
  }
};

/** `point` is called before and after each step that reaches the disk. */
export const makeEffect = (folder: string, token: string, point: () => void): void => append(fileIn(folder), `${token}\n`, point);

/** An effect of two steps: the line, then a file that takes its place under another name. */
export const makeTwoStepEffect = (folder: string, token: string, point: () => void): void => {
  makeEffect(folder, token, point);
  const draft = path.join(folder, `${token}.draft`);
  append(draft, token, point);
  renameSync(draft, path.join(folder, `${token}.made`));
  point();
};

/** How often each effect was made. */
export const readEffects = (folder: string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  const file = fileIn(folder);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  for (const token of lines) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
};
