/** The questions of `retinue init` at a terminal. Whoever leaves before the last answer has changed nothing. */
import { isAgentName } from "@retinue/agents";
import { RetinueError } from "@retinue/protocol";
import { createInterface } from "node:readline";
import { toPrintable } from "../../terminal/printable.ts";
import type { Surroundings } from "../surroundings.ts";
import { IGNORE_FILE } from "./ignore-text.ts";
import type { OfferedModel } from "./offered-models.ts";

export type InitChoices = {
  /** Undefined: each start looks for one. */
  readonly model: string | undefined;
  readonly agents: readonly string[];
  readonly ignore: boolean;
};

/** What flags have said already is not asked. */
export type Given = { readonly [Key in keyof InitChoices]?: InitChoices[Key] };

type Ask = (question: string) => Promise<string>;

export const askChoices = async (
  given: Given,
  offered: readonly OfferedModel[],
  { stdin, stderr }: Surroundings,
): Promise<InitChoices> => {
  const lines = createInterface({ input: stdin, terminal: false });
  const answers = lines[Symbol.asyncIterator]();
  const ask: Ask = async (question) => {
    await stderr.write(question);
    const { done, value } = await answers.next();
    if (done === true) throw new RetinueError("usage", "The questions were left, so that nothing was written.");
    return value.trim();
  };
  try {
    return {
      model: "model" in given ? given.model : await askModel(offered, ask),
      agents: given.agents ?? (await askAgent(ask)),
      ignore: given.ignore ?? !/^n(?:o)?$/i.test(await ask(`Write ${IGNORE_FILE}, which says what searches pass over? [Y/n] `)),
    };
  } finally {
    lines.close();
  }
};

const askModel = async (offered: readonly OfferedModel[], ask: Ask): Promise<string | undefined> => {
  const width = Math.max(0, ...offered.map(({ name }) => name.length));
  const list = [
    ...offered.map(({ name, why }, at) => `  ${at + 1}  ${name.padEnd(width)}  ${why}\n`),
    `  ${offered.length + 1}  none: each start looks for keys and for servers on this machine\n`,
  ].join("");
  let question = `Which model?\n${toPrintable(list, "prose")}A number, or provider/model [1]: `;
  for (;;) {
    const answer = (await ask(question)) || "1";
    const number = Number(answer);
    if (number === offered.length + 1) return undefined;
    const chosen = offered[number - 1]?.name ?? (isModelName(answer) ? answer : undefined);
    if (chosen !== undefined) return chosen;
    question = `Give a number from 1 to ${offered.length + 1}, or a name such as anthropic/claude-sonnet-5 [1]: `;
  }
};

export const isModelName = (text: string): boolean => /^[\w.-]+\/\S+$/.test(text);

const askAgent = async (ask: Ask): Promise<readonly string[]> => {
  let question = "A first agent of your own? Its name, such as release-notes, or Enter for none: ";
  for (;;) {
    const answer = await ask(question);
    if (answer === "") return [];
    if (isAgentName(answer)) return [answer];
    question = "A name is lower case letters, digits and dashes, beginning with a letter. Its name, or Enter for none: ";
  }
};
