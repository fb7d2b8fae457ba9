import type { Message } from "@retinue/protocol";
import { expect, test } from "vitest";
import { loadedSkills } from "./loaded-skills.ts";

const user: Message = { role: "user", content: [{ type: "text", text: "go" }] };
const called = (callId: string, input: object, tool = "load_skill"): Message => ({
  role: "assistant",
  content: [{ type: "tool-call", callId, tool, arguments: JSON.stringify(input) }],
});
const BROKEN: Message = {
  role: "assistant",
  content: [{ type: "tool-call", callId: "a", tool: "load_skill", arguments: '{"name": "pdf"' }],
};
const answered = (callId: string, text: string, isError = false): Message => ({
  role: "tool",
  callId,
  tool: "load_skill",
  content: [{ type: "text", text }],
  isError,
});

test.each<[string, readonly Message[], readonly string[]]>([
  ["one that was loaded", [called("a", { name: "pdf" }), answered("a", "[skill pdf]\n\nDo.")], ["pdf"]],
  ["one in other words", [called("a", { name: "PDF" }, "Skill"), answered("a", "[skill pdf]\n\nDo.")], ["pdf"]],
  ["one that could not be loaded", [called("a", { name: "pdf" }), answered("a", "[skill pdf]\n\nDo.", true)], []],
  ["one whose text was cleared", [called("a", { name: "pdf" }), answered("a", "[this older output was cleared]")], []],
  ["a file of one", [called("a", { name: "pdf", file: "x.md" }), answered("a", "[skill pdf]\n\nDo.")], []],
  ["a file that poses as another", [called("a", { name: "x", file: "x.md" }), answered("a", "[skill pdf]\n\nDo.")], []],
  ["a search", [called("a", { name: "pdf", query: "pdf" }), answered("a", "[skill pdf]\n\nDo.")], []],
  ["a text of another tool", [called("a", { name: "pdf" }, "read"), answered("a", "[skill pdf]\n\nDo.")], []],
  ["arguments that are no JSON", [BROKEN, answered("a", "[skill pdf]\n\nDo.")], []],
])("loaded are, of %s, what the run has in its context", (_, messages, loaded) => {
  expect(loadedSkills({ messages: [user, ...messages], taskIndex: 0 })).toEqual(loaded);
});

test("what an earlier run of the session loaded is not loaded for the next", () => {
  const messages = [user, called("a", { name: "pdf" }), answered("a", "[skill pdf]\n\nDo."), user];
  expect(loadedSkills({ messages, taskIndex: 3 })).toEqual([]);
});
