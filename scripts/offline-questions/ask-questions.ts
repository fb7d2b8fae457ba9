/**
 * `npm run offline-questions -- FOLDER…`: asks the offline model the questions of a newcomer in each repository and prints questions and answers as
 * Markdown. `--out FILE` writes them, `--paraphrases` asks the other half, `--only TEXT` the questions that hold a text, `--question TEXT` another one.
 */
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { createRetinue } from "../../packages/retinue/src/index.ts";
import { PARAPHRASES, QUESTIONS } from "./questions.ts";
import { SUBJECTS } from "./subjects.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    paraphrases: { type: "boolean", default: false },
    only: { type: "string" },
    question: { type: "string", multiple: true },
  },
});

if (positionals.length === 0) {
  process.stderr.write("No repository was given. Name the folders of one or more: npm run offline-questions -- ../click ../fd\n");
  process.exit(2);
}

/** Undefined where a question names something that is not known of the repository. */
const fill = (question: string, name: string): string | undefined => {
  const subjects = SUBJECTS[name];
  const filled = question.replaceAll(/\{(symbol|file|error|topic|tag)\}/g, (whole, key: string) =>
    // The pattern allows no other key.
    subjects ? subjects[key as keyof typeof subjects] : whole,
  );
  return /\{(?:symbol|file|error|topic|tag)\}/.test(filled) ? undefined : filled;
};

const askIn = async (folder: string, questions: readonly string[]): Promise<readonly string[]> => {
  const home = await mkdtemp(path.join(tmpdir(), "retinue-questions-"));
  const workspace = await realpath(folder);
  const retinue = await createRetinue({
    workspace,
    model: "offline/rules",
    env: { ...process.env, HOME: home, RETINUE_HOME: home },
  });
  try {
    const sections: string[] = [];
    for (const question of questions) {
      const startedAt = performance.now();
      const run = await retinue.run(question, { approve: "workspace" });
      const calls: string[] = [];
      for await (const event of run) if (event.type === "tool.started") calls.push(`${event.agent}: ${event.tool}`);
      const { details } = await run.result;
      const text = details.replaceAll(workspace, ".").replace(/^\[offline model[^\n]*\n\n/, "");
      process.stderr.write(`${path.basename(folder)} · ${question} · ${Math.round(performance.now() - startedAt)} ms\n`);
      sections.push(`### ${question}\n\n*${calls.join(", ") || "no call"}*\n\n${quoted(text)}`);
    }
    return sections;
  } finally {
    await retinue.close();
    await rm(home, { recursive: true });
  }
};

/** As a quote, so that headings inside stay inside. Outside of code, `__init__` would be read as bold. */
const quoted = (text: string): string => {
  let isCode = false;
  return text
    .split("\n")
    .map((line) => {
      if (line.startsWith("```")) isCode = !isCode;
      return `> ${isCode ? line : line.replaceAll(/__(?=[^`]*(?:`[^`]*`[^`]*)*$)/g, String.raw`\_\_`)}`.trimEnd();
    })
    .join("\n");
};

const parts: string[] = [];
for (const folder of positionals) {
  const name = path.basename(path.resolve(folder));
  const asked = values.question ?? (values.paraphrases ? PARAPHRASES : QUESTIONS);
  const questions = asked
    .flatMap((question) => fill(question, name) ?? [])
    .filter((question) => question.includes(values.only ?? ""));
  parts.push(`## ${name}`, ...(await askIn(folder, questions)));
}
const text = [
  "# Answers of the offline model",
  "Questions of a newcomer, asked without a key in public repositories. Below each question stand the tools that were called, and by whom. " +
    "`npm run offline-questions -- FOLDER… --out docs/offline-answers.md` writes this file.",
  ...parts,
  "",
].join("\n\n");
if (values.out === undefined) process.stdout.write(text);
else await writeFile(values.out, text);
