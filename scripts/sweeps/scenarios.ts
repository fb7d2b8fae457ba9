/** The scenarios by name. */
import type { ScriptedTurn } from "@retinue/model/testing";
import { BUSY_TREE } from "./busy-tree.ts";
import type { Scenario } from "./scenario.ts";

type Call = NonNullable<ScriptedTurn["toolCalls"]>[number];

const look = (token: string, chars = 10): Call => ({ tool: "look", input: { token, chars } });
const put = (token: string): Call => ({ tool: "put", input: { token } });
const act = (token: string): Call => ({ tool: "act", input: { token } });
const delegate = (agent: string): Call => ({
  tool: "delegate_to_agent",
  input: { agent, task: `Do the part of ${agent}.` },
  callId: `to-${agent}`,
});

const FIVE_TURNS: Scenario = {
  agents: [
    {
      name: "main",
      delegates: [],
      turns: [
        // Reads side by side, whose records overlap.
        { toolCalls: [look("look-1"), look("look-2"), put("put-1")] },
        { toolCalls: [put("put-2"), put("put-3")] },
        { toolCalls: [act("act-1"), look("look-3")] },
        // Too long for the context, so that an artifact is written.
        { toolCalls: [look("look-4", 20_000)] },
        { toolCalls: [put("put-4"), look("look-too-many")] },
        { text: "All of it is done." },
      ],
    },
  ],
  limits: { iterations: 5, toolCalls: 9 },
  approve: "all",
  parkedToken: null,
  expected: {
    status: "partial",
    bailoutReason: "max_tool_calls",
    iterations: 5,
    toolCalls: 9,
    runs: 1,
    effects: ["put-1", "put-2", "put-3", "act-1", "put-4"],
  },
};

const THREE_CHILDREN: Scenario = {
  agents: [
    {
      name: "lead",
      delegates: ["alpha", "beta", "gamma"],
      turns: [
        { toolCalls: [delegate("alpha"), delegate("beta"), delegate("gamma")] },
        { toolCalls: [put("lead-put")] },
        { toolCalls: [look("look-too-many")] },
        { text: "All three are done." },
      ],
    },
    {
      name: "alpha",
      delegates: [],
      turns: [{ toolCalls: [put("alpha-put")] }, { toolCalls: [act("alpha-act")] }, { text: "Alpha is done." }],
    },
    {
      name: "beta",
      delegates: [],
      turns: [{ toolCalls: [look("beta-look-1"), look("beta-look-2"), put("beta-put")] }, { text: "Beta is done." }],
    },
    { name: "gamma", delegates: [], turns: [{ toolCalls: [put("gamma-put")] }, { text: "Gamma is done." }] },
  ],
  limits: { iterations: 10, toolCalls: 10 },
  approve: "ask",
  parkedToken: "gamma-put",
  expected: {
    status: "partial",
    bailoutReason: "max_tool_calls",
    iterations: 10,
    toolCalls: 10,
    runs: 4,
    effects: ["lead-put", "alpha-put", "alpha-act", "beta-put", "gamma-put"],
  },
};

const HELPERS = ["alpha", "beta", "gamma"] as const;

/** Enough turns for two processes to take the run from each other again and again. */
const MANY_TURNS: Scenario = {
  agents: [
    {
      name: "main",
      delegates: HELPERS,
      turns: [
        ...HELPERS.flatMap((helper) => [
          { toolCalls: [put(`put-1-${helper}`), look(`look-${helper}`), act(`act-${helper}`)] },
          { toolCalls: [delegate(helper)] },
          { toolCalls: [put(`put-2-${helper}`), put(`put-3-${helper}`)] },
        ]),
        { text: "All of it is done." },
      ],
    },
    ...HELPERS.map((name) => ({
      name,
      delegates: [],
      turns: [{ toolCalls: [put(`${name}-put`), act(`${name}-act`)] }, { text: "It is done." }],
    })),
  ],
  limits: { iterations: 16, toolCalls: 24 },
  approve: "all",
  parkedToken: null,
  expected: {
    status: "completed",
    bailoutReason: undefined,
    iterations: 16,
    toolCalls: 24,
    runs: 4,
    effects: HELPERS.flatMap((name) => [
      `put-1-${name}`,
      `act-${name}`,
      `put-2-${name}`,
      `put-3-${name}`,
      `${name}-put`,
      `${name}-act`,
    ]),
  },
};

export const SCENARIOS: { readonly [Name in ScenarioName]: Scenario } = {
  "five-turns": FIVE_TURNS,
  "three-children": THREE_CHILDREN,
  "many-turns": MANY_TURNS,
  "busy-tree": BUSY_TREE,
};

export type ScenarioName = "five-turns" | "three-children" | "many-turns" | "busy-tree";
