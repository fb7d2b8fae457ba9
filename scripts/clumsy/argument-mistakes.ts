/** Mistakes in the arguments and names of calls, most of them learnt from other tools. */
import type { Json, JsonObject } from "@retinue/protocol";
import type { Act } from "./goal.ts";
import { toText } from "./goal.ts";
import type { Mistake } from "./mistake.ts";

const call = (
  name: string,
  fits: Mistake["fits"],
  toInput: (input: JsonObject, act: Act) => Json,
  more: Partial<Mistake> = {},
): Mistake => ({
  name,
  kind: "call",
  fits,
  say: (act) => ({ toolCalls: [{ tool: act.tool, input: toInput(act.input, act) }] }),
  ...more,
});

const written = (name: string, fits: Mistake["fits"], spoil: (json: string) => string): Mistake => ({
  name,
  kind: "call",
  fits,
  say: ({ tool, input }) => ({ toolCalls: [{ tool, arguments: spoil(JSON.stringify(input)) }] }),
  isTold: (answer) => /json/i.test(answer),
});

const isTool =
  (...names: readonly string[]) =>
  ({ tool }: Act): boolean =>
    names.includes(tool);
const has =
  (key: string) =>
  ({ input }: Act): boolean =>
    input[key] !== undefined;
const any = (): boolean => true;

/** The same value under another name. */
const rename = (input: JsonObject, names: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [names[key] ?? key, value]));

const editsOf = (input: JsonObject): readonly JsonObject[] => (input["edits"] ?? []) as readonly JsonObject[];
const hasOneEdit = (act: Act): boolean => act.tool === "edit" && editsOf(act.input).length === 1;

const flatEdit =
  (old: string, replacement: string, file: string) =>
  (input: JsonObject): Json => {
    const [only] = editsOf(input);
    return { [file]: input["path"] ?? "", [old]: only?.["old"] ?? "", [replacement]: only?.["new"] ?? "" };
  };

const isEditTold = (answer: string): boolean => /edits/.test(answer) && /path/.test(answer);
const itemsOf = (input: JsonObject): readonly JsonObject[] => (input["items"] ?? []) as readonly JsonObject[];
const isItemsTold = (answer: string): boolean => answer.includes("items") && answer.includes("text");
const toolNamed = (name: string, fits: Mistake["fits"], toName: (tool: string) => string): Mistake => ({
  name,
  kind: "call",
  fits,
  say: ({ tool, input }) => ({ toolCalls: [{ tool: toName(tool), input }] }),
  isTold: (answer, { tool }) => answer.includes(tool),
});

export const ARGUMENT_MISTAKES: readonly Mistake[] = [
  call(
    "file_path for path",
    (act) => isTool("read", "write")(act),
    (input) => rename(input, { path: "file_path" }),
  ),
  call("filename for path", isTool("read"), (input) => rename(input, { path: "filename" })),
  call("file_text for content", isTool("write"), (input) => rename(input, { content: "file_text" })),
  call("old_string and new_string", hasOneEdit, flatEdit("old_string", "new_string", "file_path"), { isTold: isEditTold }),
  call("old_str and new_str", hasOneEdit, flatEdit("old_str", "new_str", "path"), { isTold: isEditTold }),
  call("search and replace", hasOneEdit, flatEdit("search", "replace", "path"), { isTold: isEditTold }),
  call("one edit in place of a list", hasOneEdit, (input) => ({ ...input, edits: editsOf(input)[0] ?? {} }), {
    isTold: isEditTold,
  }),
  call("edits as a text", isTool("edit"), (input) => ({ ...input, edits: JSON.stringify(input["edits"]) }), {
    isTold: isEditTold,
  }),
  call("edits in other words", isTool("edit"), (input) => ({
    path: input["path"] ?? "",
    edits: editsOf(input).map((one) => ({ old_string: one["old"] ?? "", new_string: one["new"] ?? "" })),
  })),
  call("cmd for command", isTool("shell"), (input) => rename(input, { command: "cmd" })),
  call("command as a list of words", isTool("shell"), (input) => ({ ...input, command: toText(input["command"]).split(" ") })),
  call(
    "numbers as text",
    (act) => Object.values(act.input).some((value) => typeof value === "number"),
    (input) =>
      Object.fromEntries(Object.entries(input).map(([key, value]) => [key, typeof value === "number" ? String(value) : value])),
    { isTold: (answer) => answer.includes("number") },
  ),
  call(
    "truth as text",
    isTool("edit"),
    (input) => ({
      ...input,
      edits: editsOf(input).map((one) => ({ ...one, all: "false" })),
    }),
    { isTold: (answer) => answer.includes("boolean") },
  ),
  call("query for pattern", has("pattern"), (input) => rename(input, { pattern: "query" })),
  call(
    "todos for items",
    isTool("todo"),
    (input) => ({
      todos: itemsOf(input).map((one, at) => ({
        id: String(at),
        content: one["text"] ?? "",
        status: one["status"] ?? "pending",
        priority: "high",
      })),
    }),
    { isTold: isItemsTold },
  ),
  call("items as plain texts", isTool("todo"), (input) => ({ items: itemsOf(input).map((one) => one["text"] ?? "") }), {
    isTold: isItemsTold,
  }),
  call(
    "a status in other words",
    isTool("todo"),
    (input) => ({
      items: itemsOf(input).map((one) => ({
        ...one,
        status: one["status"] === "completed" ? "done" : (one["status"] ?? "pending"),
      })),
    }),
    { isTold: (answer) => answer.includes("completed") },
  ),
  call("prompt for task", isTool("delegate_to_agent"), (input) => ({
    ...rename(input, { task: "prompt", agent: "subagent_type" }),
    description: "implement it",
  })),
  call("a list as one text", has("context_files"), (input) => ({ ...input, context_files: "src/roman.ts, test/roman.test.ts" }), {
    isTold: (answer) => answer.includes("array"),
  }),
  call("an agent misspelt", isTool("delegate_to_agent"), (input) => ({ ...input, agent: "excutor" }), {
    isTold: (answer) => answer.includes("executor"),
  }),
  call("an agent in other words", isTool("delegate_to_agent"), (input) => ({ ...input, agent: "Executor Agent" }), {
    isTold: (answer) => answer.includes("executor"),
  }),
  call(
    "null for what is left out",
    any,
    (input, { tool }) => ({
      ...input,
      ...(tool === "read"
        ? { offset: null, limit: null }
        : tool === "shell"
          ? { timeoutMs: null }
          : { path: input["path"] ?? null, timeoutMs: null }),
    }),
    { isTold: (answer) => answer.includes("null") },
  ),
  call("arguments in one more object", any, (input) => ({ arguments: input })),
  call("a word too many", any, (input) => ({ ...input, explanation: "It has to be done." })),
  written("JSON in a text", any, (json) => JSON.stringify(json)),
  written("a trailing comma", any, (json) => json.replace(/\}$/, ",}")),
  written("JSON in a fence", any, (json) => `\`\`\`json\n${json}\n\`\`\``),
  toolNamed("the tool by its full name", any, (tool) => `functions.${tool}`),
  toolNamed("the tool in another case", any, (tool) => tool.toUpperCase()),
  toolNamed(
    "the tool's name of elsewhere",
    isTool("read", "write", "shell"),
    (tool) => ({ read: "read_file", write: "create_file", shell: "bash" })[tool] ?? tool,
  ),
  toolNamed("a tool misspelt", isTool("read", "grep", "glob", "ls"), (tool) => `${tool}_fil`),
  call(
    "a file misspelt",
    (act) => act.tool === "read",
    (input) => ({ ...input, path: toText(input["path"]).replace(/(\w)(\.\w+)$/, "$1s$2") }),
    {
      isTold: (answer, { input }) => answer.includes(toText(input["path"])),
    },
  ),
  call(
    "a file in no folder",
    (act) => act.tool === "read" && toText(act.input["path"]).includes("/"),
    (input) => ({ ...input, path: toText(input["path"]).split("/").at(-1) ?? "" }),
    {
      isTold: (answer, { input }) => answer.includes(toText(input["path"])),
    },
  ),
  call("a path from the root", isTool("read", "write", "edit"), (input) => ({ ...input, path: `/${toText(input["path"])}` }), {
    isTold: (answer) => /relative|workspace/.test(answer),
  }),
];
