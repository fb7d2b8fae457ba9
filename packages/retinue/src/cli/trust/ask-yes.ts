/** A question at the terminal that only a plain yes answers with yes. */
import { RetinueError } from "@retinue/protocol";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Surroundings } from "../surroundings.ts";
import { dropTypeAhead } from "../type-ahead.ts";

/** Where nobody can be asked, that is told, with the option that says yes. */
export const askYes = async (question: string, { stdin, stderr }: Surroundings): Promise<boolean> => {
  if (stdin.isTTY !== true || !stderr.isTerminal)
    throw new RetinueError("usage", "Nobody can be asked, so that nothing was changed.", {
      hint: "Read what is shown; --yes then agrees to it.",
    });
  await dropTypeAhead(stdin, new AbortController().signal, () => process.kill(process.pid, "SIGINT"));
  await stderr.write(question);
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    const [answer] = (await Promise.race([once(lines, "line"), once(lines, "close")])) as readonly (string | undefined)[];
    return /^\s*y(?:es)?\s*$/i.test(answer ?? "");
  } finally {
    lines.close();
  }
};
