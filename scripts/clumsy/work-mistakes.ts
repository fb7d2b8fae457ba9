/** Mistakes in the work itself: edits that miss, files written over, turns that end too soon, and claims that are not true. */
import type { JsonObject } from "@retinue/protocol";
import type { Act } from "./goal.ts";
import { toText } from "./goal.ts";
import type { Mistake } from "./mistake.ts";

const editsOf = ({ input }: Act): readonly JsonObject[] => (input["edits"] ?? []) as readonly JsonObject[];
const isEdit = ({ tool }: Act): boolean => tool === "edit";
const pathOf = ({ input }: Act): string => toText(input["path"]);

const spoiltEdit = (name: string, toOld: (old: string) => string, more: Partial<Mistake> = {}): Mistake => ({
  name,
  kind: "call",
  fits: isEdit,
  say: (act) => ({
    toolCalls: [
      { tool: "edit", input: { ...act.input, edits: editsOf(act).map((one) => ({ ...one, old: toOld(toText(one["old"])) })) } },
    ],
  }),
  isTold: (answer, act) => editsOf(act).some((one) => answer.includes(toText(one["old"]).trim().split("\n")[0] ?? "\0")),
  ...more,
});

const saying = (name: string, text: string, more: Partial<Mistake> = {}): Mistake => ({
  name,
  kind: "turn",
  fits: () => true,
  say: () => ({ text }),
  ...more,
});

const ENTIRE = "the whole file in one go ".repeat(40);

export const WORK_MISTAKES: readonly Mistake[] = [
  spoiltEdit("an edit with other spaces", (old) =>
    old.replace(/^ +/, (spaces) => (spaces.length > 2 ? "\t" : "    ")).replaceAll(" = ", "  =  "),
  ),
  spoiltEdit("an edit with line numbers", (old) =>
    old
      .split("\n")
      .map((line, at) => `${at + 4}\t${line}`)
      .join("\n"),
  ),
  spoiltEdit("an edit of what is not there", (old) => `${old} // as before`),
  {
    name: "an edit of a file that changed",
    kind: "call",
    fits: isEdit,
    say: ({ tool, input }) => ({ toolCalls: [{ tool, input }] }),
    touches: pathOf,
    isTold: (answer) => /read/i.test(answer),
    mended: (act) => [{ tool: "read", input: { path: pathOf(act) } }, act],
  },
  {
    name: "a file written over unread",
    kind: "call",
    fits: (act) => isEdit(act) && editsOf(act).length === 1,
    say: (act) => ({
      toolCalls: [{ tool: "write", input: { path: pathOf(act), content: `${toText(editsOf(act)[0]?.["new"])}\n` } }],
    }),
    isTold: (answer) => /read|head|edit/i.test(answer),
  },
  {
    name: "a call cut by length",
    kind: "call",
    fits: ({ tool }) => tool === "write",
    say: ({ tool, input }) => ({
      toolCalls: [{ tool, arguments: JSON.stringify({ ...input, content: ENTIRE }).slice(0, 400) }],
      finishReason: "length",
    }),
    isTold: (answer) => /smaller|parts|shorter/i.test(answer),
  },
  saying("a promise", "I'll look at the code and make the change next."),
  saying("a promise in other words", "Let me now go ahead and fix this. First I will open the file:"),
  saying(
    "a question in prose",
    "I have found the place. Should I go ahead and make the change, or would you like to see a plan first?",
  ),
  saying("nothing done", "Sure! I can help you with that."),
  saying("an answer cut by length", "The code has a mistake in the place that was named, and to mend it one has to", {
    say: () => ({
      text: "The code has a mistake in the place that was named, and to mend it one has to",
      finishReason: "length",
    }),
  }),
  saying("an empty answer", ""),
  saying("an empty answer, later", ""),
  {
    name: "the same look again and again",
    kind: "turn",
    times: 6,
    fits: () => true,
    say: () => ({ toolCalls: [{ tool: "ls", input: { path: "." } }] }),
  },
  {
    name: "two looks in turn again and again",
    kind: "turn",
    times: 6,
    fits: () => true,
    say: () => ({
      toolCalls: [
        { tool: "ls", input: {} },
        { tool: "glob", input: { pattern: "*" } },
      ],
    }),
  },
  {
    name: "a wait for what is at work elsewhere",
    kind: "turn",
    times: 4,
    fits: ({ tool }) => tool === "test" || tool === "shell",
    say: () => ({ toolCalls: [{ tool: "shell", input: { command: "date +%s%N > .beat; echo waiting" } }] }),
  },
  { name: "an edit left out", kind: "skip", fits: isEdit, say: () => ({}) },
  { name: "a new file left out", kind: "skip", fits: ({ tool }) => tool === "write", say: () => ({}) },
  { name: "tests left out", kind: "skip", fits: ({ tool }) => tool === "test", say: () => ({}) },
  {
    name: "files that are not there, for a sub-agent",
    kind: "call",
    fits: ({ tool }) => tool === "delegate_to_agent",
    say: ({ tool, input }) => ({
      toolCalls: [{ tool, input: { ...input, context_mode: "selective", context_files: ["src/romans.ts"] } }],
    }),
    isTold: (answer) => answer.includes("src/roman.ts"),
  },
];
