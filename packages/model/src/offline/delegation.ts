/** Hands a question to the agent made for it, where one may be called, and reports what it hands back. */
import type { JsonObject } from "@retinue/protocol";
import type { ToolDeclaration } from "../contract.ts";
import type { PlannedCall } from "./calls.ts";
import { propertyOf } from "./calls.ts";
import type { Exchange } from "./conversation.ts";
import { parseObject } from "./conversation.ts";
import type { Job } from "./rules/rule.ts";
import { toAnswer, withoutBanner } from "./wording.ts";

const DELEGATE = "delegate_to_agent";
type Agent = NonNullable<Job["agent"]>;
/** Begins every task that is handed on, so that whoever gets it does not hand it on again. */
const HANDED_ON: Record<Agent, string> = {
  "code-search": "Search the code and report paths and line numbers: ",
  researcher: "Answer from the files, with paths and line numbers: ",
  reviewer: "Look at the changes and report them: ",
  tester: "Do just this and report what came out: ",
  executor: "Do just this and report what came out: ",
};

/** What a parent adds to a task stands below it under headings of its own. */
const ADDED = /\n\n## (?:Context|What your parent knows|Files|Success criteria)\b[\s\S]*$/;

/** The question itself, and whether it may be handed on. */
export const fromTask = (task: string): { readonly question: string; readonly mayDelegate: boolean } => {
  const question = task.replace(ADDED, "");
  const prefix = Object.values(HANDED_ON).find((each) => question.startsWith(each));
  return prefix === undefined ? { question, mayDelegate: true } : { question: question.slice(prefix.length), mayDelegate: false };
};

export const planDelegation = (agent: Agent, question: string, tools: readonly ToolDeclaration[]): PlannedCall | undefined => {
  const task = HANDED_ON[agent] + question;
  const delegate = tools.find((tool) => tool.name === DELEGATE);
  const names = delegate && propertyOf(delegate, "agent")?.["enum"];
  if (delegate && Array.isArray(names) && names.includes(agent)) {
    // The quoted lines are what a user wants to see; a summary may end before them.
    const details = propertyOf(delegate, "details") ? { details: true } : {};
    return { tool: DELEGATE, input: { agent, task, ...details } };
  }
  const own = tools.find((tool) => tool.name === agent);
  const input = own && toInput(own, task);
  return own && input ? { tool: own.name, input } : undefined;
};

/** An agent that is a tool of its own says itself what it takes: one text, under one of the usual names. */
const toInput = (tool: ToolDeclaration, task: string): JsonObject | undefined => {
  const name = ["task", "query", "question", "prompt"].find((each) => propertyOf(tool, each)?.["type"] === "string");
  const { required } = tool.inputSchema;
  const others = Array.isArray(required) ? required.filter((each) => each !== name) : [];
  return name !== undefined && others.length === 0 ? { [name]: task } : undefined;
};

export const isDelegation = ({ tool }: Exchange): boolean => tool === DELEGATE || Object.hasOwn(HANDED_ON, tool);

/** The fullest text that the result holds; a result that is no structure is the text itself. */
export const reportDelegation = ({ tool, input, text }: Exchange): string => {
  const agent = tool === DELEGATE && typeof input["agent"] === "string" ? input["agent"] : tool;
  const result = parseObject(text);
  const textIn = (key: string): string => (typeof result[key] === "string" ? result[key] : "");
  const said = textIn("details") || textIn("summary") || (textIn("status") === "" ? text : "");
  const status = ["", "completed"].includes(textIn("status")) ? "" : ` (${textIn("status")})`;
  return toAnswer(`The ${agent} agent was asked and reports${status}:`, withoutBanner(said) || "Nothing.", textIn("error"));
};
