/** Sentences of steps that work on a screen: type, press, click, scroll, wait, take a screenshot, run. What is typed goes where the screen has its focus. */
import type { Rule } from "./parse-action.ts";
import { QUOTED, RUN_RULE, unquote } from "./parse-action.ts";

export const SCREEN_RULES: readonly Rule[] = [
  {
    form: new RegExp(String.raw`^(?:type|enter)\s+${QUOTED}(?:\s+(?:in|into|on|at)\s+.+)?$`, "i"),
    toCall: ([quoted, plain]) => ({ tool: "type", input: { text: quoted || plain || "" } }),
  },
  {
    form: /^(?:press|hit)\s+(?:the\s+)?(?:keys?\s+)?"?([A-Za-z0-9_]+(?:\+[A-Za-z0-9_]+)*)"?(?:\s+keys?)?$/i,
    toCall: ([key = ""]) => ({ tool: "key", input: { key } }),
  },
  {
    form: /^(double-)?click\s+(?:at|on)?\s*\(?(\d+)\s*,\s*(\d+)\)?$/i,
    toCall: ([double = "", x = "0", y = "0"]) => ({
      tool: "click",
      input: { x: Number(x), y: Number(y), ...(double === "" ? {} : { double: true }) },
    }),
  },
  {
    form: /^(double-)?click(?: on)?\s+(?:the\s+)?(.+)$/i,
    toCall: ([double = "", what = ""]) => ({
      tool: "click",
      input: { description: unquote(what), ...(double === "" ? {} : { double: true }) },
    }),
  },
  {
    form: /^scroll\s+(up|down|left|right)(?:\s+(?:by\s+)?(\d+)(?:\s+(?:steps?|times|lines?))?)?$/i,
    toCall: ([direction = "down", steps = ""]) => ({
      tool: "scroll",
      input: { direction: direction.toLowerCase(), ...(steps === "" ? {} : { steps: Number(steps) }) },
    }),
  },
  {
    form: /^wait\s+(\d+)\s*(?:s|seconds?)$/i,
    toCall: ([seconds = "1"]) => ({ tool: "shell", input: { command: `sleep ${seconds}` } }),
  },
  { form: /^take a screenshot\b.*$/i, toCall: () => ({ tool: "screenshot", input: {} }) },
  RUN_RULE,
  // What is shown is kept after every step anyway.
  { form: /^(?:look|see|check that|verify|make sure|ensure|confirm that)\b.*$/i, toCall: () => null },
];
