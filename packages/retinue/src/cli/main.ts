/** The `retinue` command: finds what is asked for, loads only that, and turns whatever is thrown into a message and an exit code. */
import { RetinueError, toErrorValue } from "@retinue/protocol";
import { EXIT, errorExitCode } from "./exit-code.ts";
import { formatError } from "./format-error.ts";
import { toErrorLine } from "./json-events.ts";
import type { Surroundings } from "./surroundings.ts";
import { createSurroundings } from "./surroundings.ts";

/** Works until the command is done and gives its exit code. Everything was written by then. */
export const main = async (words: readonly string[]): Promise<number> => {
  const surroundings = createSurroundings();
  const onFault = (thrown: unknown): void => {
    void fail(thrown, words, surroundings).then((code) => process.exit(code));
  };
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
  return obeyWords(words, surroundings);
};

/** The same in any surroundings. */
export const obeyWords = async (words: readonly string[], surroundings: Surroundings): Promise<number> => {
  let code: number;
  try {
    const { runProgram } = await import("./program.ts");
    code = await runProgram(words, surroundings);
    await surroundings.stdout.flush();
  } catch (thrown) {
    code = await fail(thrown, words, surroundings);
  }
  await surroundings.stderr.flush();
  return code;
};

const fail = async (thrown: unknown, words: readonly string[], surroundings: Surroundings): Promise<number> => {
  const { stdout, stderr, redact, env, secrets } = surroundings;
  await stderr.write(formatError(thrown, redact, env));
  if (words.includes("--json"))
    await stdout
      .write(toErrorLine(toErrorValue(thrown), secrets()))
      .then(stdout.flush)
      .catch(() => undefined);
  return thrown instanceof RetinueError ? errorExitCode(thrown.code) : EXIT.failed;
};
