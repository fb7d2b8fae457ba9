/**
 * `retinue init`: sets a project up, by a few questions at a terminal and by flags elsewhere. What is there already is left as it is, and
 * nothing is written before the last question is answered.
 */
import { newAgentFile } from "@retinue/agents";
import { RetinueError } from "@retinue/protocol";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { retinueHome, SETTINGS_FILE } from "../settings/retinue-home.ts";
import { toJsonLine } from "../terminal/json-line.ts";
import { toPrintable } from "../terminal/printable.ts";
import { EXIT } from "./exit-code.ts";
import type { Given, InitChoices } from "./init/ask-choices.ts";
import { askChoices, isModelName } from "./init/ask-choices.ts";
import { IGNORE_FILE, ignoreText } from "./init/ignore-text.ts";
import { findOfferedModels } from "./init/offered-models.ts";
import { SCHEMA_FILE, settingsText } from "./init/settings-template.ts";
import { withSpinner } from "./live/spinner.ts";
import { packageFile } from "./package-file.ts";
import type { SessionOptions } from "./session-options.ts";
import { toWorkspace } from "./session-options.ts";
import type { Surroundings } from "./surroundings.ts";

export type InitOptions = Pick<SessionOptions, "workspace"> & {
  /** Takes what would be proposed. */
  readonly yes?: boolean;
  readonly model?: string;
  readonly agent?: readonly string[];
  readonly ignore?: boolean;
  readonly json?: boolean;
};

export const initCommand = async (options: InitOptions, surroundings: Surroundings): Promise<number> => {
  const { stdout, env } = surroundings;
  const workspace = toWorkspace(options);
  const file = join(workspace, SETTINGS_FILE);
  if (existsSync(file)) throw taken(file);
  const choices = await choose(toGiven(options), options, surroundings);
  const agents = choices.agents.map((name) => [join(workspace, ".retinue", "agents", `${name}.md`), newAgentFile(name)] as const);
  const written: string[] = [];
  const kept: string[] = [];
  // The settings first: what is there already stops everything else.
  if (!(await writeNew(file, settingsText(choices.model)))) throw taken(file);
  written.push(file);
  for (const [name, text] of [
    [join(workspace, ".retinue", SCHEMA_FILE), await readFile(packageFile(SCHEMA_FILE), "utf8")] as const,
    ...agents,
    ...(choices.ignore ? [[join(workspace, IGNORE_FILE), ignoreText(workspace)] as const] : []),
  ])
    ((await writeNew(name, text)) ? written : kept).push(name);
  if (choices.model !== undefined) await trustOwnSettings(workspace, env);
  if (options.json === true)
    await stdout.write(`${toJsonLine({ workspace, model: choices.model ?? null, written, kept }, surroundings.redact)}\n`);
  else await stdout.write(toReport({ written, kept, choices }));
  return EXIT.done;
};

const taken = (file: string): RetinueError => new RetinueError("file_exists", `${file} is already there and was left as it is.`);

const toGiven = ({ model, agent, ignore }: InitOptions): Given => {
  if (model !== undefined && !isModelName(model))
    throw new RetinueError("usage", `--model ${model} is not provider/model.`, {
      hint: "Write it like --model anthropic/claude-sonnet-5, or leave it out: each start then looks for a model.",
    });
  for (const name of agent ?? []) newAgentFile(name);
  return { ...(model !== undefined && { model }), ...(agent && { agents: agent }), ...(ignore !== undefined && { ignore }) };
};

/** Without a terminal, and without a flag that says otherwise, only the settings are written, and they change nothing. */
const choose = async (given: Given, { yes, json }: InitOptions, surroundings: Surroundings): Promise<InitChoices> => {
  const { stdin, stderr, env } = surroundings;
  const isAsked = yes !== true && json !== true && stdin.isTTY === true && stderr.isTerminal;
  if (!isAsked && yes !== true) return { model: undefined, agents: [], ignore: false, ...given };
  const offered =
    "model" in given
      ? []
      : await withSpinner("looking for models", { ...surroundings, isSilent: json === true }, () => findOfferedModels(env));
  return isAsked ? askChoices(given, offered, surroundings) : { model: offered[0]?.name, agents: [], ignore: true, ...given };
};

/** Never through a link that lies there, and never over anything: false where something is there. */
const writeNew = async (file: string, text: string): Promise<boolean> => {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: "wx" });
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new RetinueError("usage", `${file} cannot be written.`, {
      hint: "Choose a folder that you may write to.",
      cause: thrown,
    });
  }
};

/** Whoever runs `init` has just said what stands in these settings; they alone are trusted, and nothing else of the project. */
const trustOwnSettings = async (workspace: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const { loadSettings } = await import("../settings/load-settings.ts");
  const { untrusted } = await loadSettings({ workspace, env });
  if (!untrusted) return;
  const { createTrustStore } = await import("@retinue/confine/trust");
  await createTrustStore({ file: join(retinueHome(env), "trust.json") }).grant([untrusted]);
};

type Report = { readonly written: readonly string[]; readonly kept: readonly string[]; readonly choices: InitChoices };

const show = (file: string): string => toPrintable(relative(process.cwd(), file), "line");

const toReport = ({ written, kept, choices: { model, agents } }: Report): string => {
  const next = [
    ["retinue doctor", "shows settings, models and tools"],
    ...agents.map((name) => [`retinue agents check`, `tells what ${name} still lacks`] as const),
    ['retinue run "what does this project do?"', "asks about this folder"],
    ["retinue", "opens the prompt"],
  ] as const;
  const width = Math.max(...next.map(([command]) => command.length));
  return [
    ...written.map(
      (file, at) => `${show(file)} is written${at === 0 && model === undefined ? "; everything in it is commented out" : ""}.`,
    ),
    ...kept.map((file) => `${show(file)} was there already and is as it was.`),
    ...(model === undefined ? [] : [`The model is ${toPrintable(model, "line")}.`]),
    "Next:",
    ...next.map(([command, what]) => `  ${command.padEnd(width)}  ${what}`),
    "",
  ].join("\n");
};
