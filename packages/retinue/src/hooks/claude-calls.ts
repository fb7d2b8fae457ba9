/**
 * A call of one of our tools as hooks that were written for Claude Code know it: under the name of the tool there, with the fields that they read. A call that
 * touches several files becomes one for each, so that a hook that looks at `file_path` sees them all.
 */
import path from "node:path";
import type { Json, JsonObject } from "@retinue/protocol";
import type { HookedCall } from "@retinue/runtime";
import { toWireName } from "@retinue/runtime";

export type ClaudeCall = {
  readonly tool_name: string;
  readonly tool_input: JsonObject;
  /** Other names that a matcher may call it by. */
  readonly aliases?: readonly string[];
};

type Fields = Readonly<Record<string, Json | undefined>>;
type Translate = (input: Fields, at: (name: Json | undefined) => Json | undefined, call: HookedCall) => readonly ClaudeCall[];

const one = (tool_name: string, fields: Fields, ...aliases: readonly string[]): readonly ClaudeCall[] => [
  {
    tool_name,
    tool_input: Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
    ...(aliases.length === 0 ? {} : { aliases }),
  },
];

const asFields = (value: Json | undefined): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** All command lines; a call that does not say them is one that nobody can look into. */
const asCommands: Translate = (input, _, { tool, commands = [] }) =>
  (commands.length === 0 ? [textOf(input["command"]) || tool] : commands).flatMap((command) =>
    one("Bash", { command, timeout: input["timeoutMs"] }, tool),
  );

const asEdit: Translate = ({ path: file, edits, files }, at) => {
  const all = files === undefined ? [{ path: file, edits }] : listOf(files).map(asFields);
  return all.flatMap(({ path: named, edits: given }) => {
    const changes = listOf(given).map(asFields);
    return one(
      "Edit",
      {
        file_path: at(named),
        old_string: changes.map((change) => textOf(change["old"])).join("\n"),
        new_string: changes.map((change) => textOf(change["new"])).join("\n"),
        replace_all: changes.some((change) => change["all"] === true),
        edits: changes.map((change) => ({
          old_string: textOf(change["old"]),
          new_string: textOf(change["new"]),
          replace_all: change["all"] === true,
        })),
      },
      "MultiEdit",
    );
  });
};

const asSearch: Translate = (input, at, { tool }) =>
  one("Grep", { ...input, pattern: input["pattern"] ?? input["query"] ?? "", path: at(input["path"]) }, tool);

const asTask: Translate = ({ agent, task, ...others }, _, { tool }) =>
  one(
    "Task",
    { ...others, description: textOf(task).slice(0, 80), prompt: textOf(task), subagent_type: textOf(agent) || tool },
    "Agent",
    tool,
  );

const TRANSLATIONS: Readonly<Record<string, Translate>> = {
  shell: asCommands,
  test: asCommands,
  git: asCommands,
  git_diff: asCommands,
  git_commit: asCommands,
  read: ({ path: file, ...others }, at) => one("Read", { file_path: at(file), ...others }),
  write: ({ path: file, content }, at) => one("Write", { file_path: at(file), content }),
  edit: asEdit,
  ls: ({ path: folder }, at) => one("LS", { path: at(folder) }),
  glob: ({ path: folder, pattern }, at) => one("Glob", { pattern, path: at(folder) }),
  grep: asSearch,
  code_search: asSearch,
  overview: asSearch,
  plan_files: asSearch,
  docs_coverage: asSearch,
  web_fetch: ({ url }) => one("WebFetch", { url, prompt: "" }),
  web_search: ({ query }) => one("WebSearch", { query }),
  todo: ({ items }) =>
    one("TodoWrite", {
      todos: listOf(items).map((item) => ({ content: textOf(asFields(item)["text"]), status: textOf(asFields(item)["status"]) })),
    }),
  load_skill: ({ name, ...others }) => one("Skill", { skill: name, ...others }),
  ask_user: (input) => one("AskUserQuestion", input),
  delegate_to_agent: asTask,
};

/** `isAgent`: whether a tool is an agent under its own name. */
export const toClaudeCalls = (call: HookedCall, isAgent: (tool: string) => boolean): readonly ClaudeCall[] => {
  const { tool, workspace } = call;
  const input = asFields(call.input);
  const at = (name: Json | undefined): Json | undefined =>
    typeof name === "string" && !name.startsWith("artifact:") ? path.resolve(workspace, name) : name;
  const translate = TRANSLATIONS[tool] ?? (isAgent(tool) ? asTask : undefined);
  if (translate) return translate(input, at, call);
  const [server = "", ...rest] = tool.split(".");
  return one(rest.length === 0 ? tool : `mcp__${server}__${rest.join("_")}`, input, tool, toWireName(tool));
};
