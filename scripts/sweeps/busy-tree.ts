/**
 * A tree of runs that does everything an engine can be asked for: two children in the background, of which one is stopped from elsewhere; one in a
 * worktree that merges a new file and a changed one; one whose own child asks a question at depth 2; and a main run that is spoken to.
 */
import type { ScriptedTurn } from "@retinue/model/testing";
import type { Scenario } from "./scenario.ts";

type Call = NonNullable<ScriptedTurn["toolCalls"]>[number];

/** By its own name, so that a conversation shows which were made. */
const call = (tool: string, token: string, more: { readonly [key: string]: string | number } = {}): Call => ({
  tool,
  input: { token, ...more },
  callId: token,
});

const delegate = (agent: string, background = false): Call => ({
  tool: "delegate_to_agent",
  input: { agent, task: `Do the part of ${agent}.`, ...(background ? { background } : {}) },
  callId: `to-${agent}`,
});

export const BUSY_TREE: Scenario = {
  agents: [
    {
      name: "lead",
      delegates: ["idler", "scout", "builder", "middle"],
      turns: [
        { toolCalls: [delegate("idler", true), delegate("scout", true)] },
        { toolCalls: [delegate("builder"), delegate("middle")] },
        { toolCalls: [call("put", "lead-put")] },
        { text: "All of it is done." },
      ],
    },
    { name: "idler", delegates: [], turns: [{ text: "It is never said.", before: new Promise(() => undefined) }] },
    {
      name: "scout",
      delegates: [],
      turns: [{ toolCalls: [call("look", "scout-look", { chars: 10 }), call("put", "scout-put")] }, { text: "Scout is done." }],
    },
    {
      name: "builder",
      delegates: [],
      isolation: "worktree",
      turns: [
        {
          toolCalls: [
            call("save", "save-new", { path: "made/new.txt", text: "new\n" }),
            call("save", "save-changed", { path: "changed.txt", text: "after\n" }),
          ],
        },
        { text: "Builder is done." },
      ],
    },
    { name: "middle", delegates: ["leaf"], turns: [{ toolCalls: [delegate("leaf")] }, { text: "Middle is done." }] },
    { name: "leaf", delegates: [], turns: [{ toolCalls: [call("act", "leaf-act")] }, { text: "Leaf is done." }] },
  ],
  limits: {},
  approve: "ask",
  parkedToken: null,
  maxDepth: 2,
  inputs: { message: "The platypus was here.", stopped: "idler", lastToken: "leaf-act" },
  files: { "changed.txt": "before\n", "kept.txt": "kept\n" },
  expected: {
    status: "completed",
    bailoutReason: undefined,
    iterations: null,
    toolCalls: 11,
    runs: 6,
    effects: ["lead-put", "scout-put", "leaf-act"],
    files: { "changed.txt": "after\n", "kept.txt": "kept\n", "made/new.txt": "new\n" },
  },
};
