/** Obeys a command line in this process: everything but a process of its own, for what needs none. */
import { Readable, Writable } from "node:stream";
import { obeyWords } from "../main.ts";
import { createSurroundings } from "../surroundings.ts";
import type { Ended, Project } from "./spawn-retinue.ts";
import { toEnvironment } from "./spawn-retinue.ts";

/** Keeps what is written to it. */
const createSink = (): { readonly stream: Writable; readonly text: () => string } => {
  let text = "";
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  return { stream, text: () => text };
};

/** Works in the project's folder, by `-C`. Without `input` standard input ends at once. */
export const callRetinue = async (
  { workspace, home }: Project,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input?: string | Buffer,
): Promise<Ended> => {
  const [stdout, stderr] = [createSink(), createSink()];
  const surroundings = createSurroundings({
    stdin: Readable.from(input === undefined ? [] : [Buffer.from(input)], { objectMode: false }),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { ...toEnvironment(home), ...env },
  });
  const code = await obeyWords(words.includes("-C") ? words : [...words, "-C", workspace], surroundings);
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
};
