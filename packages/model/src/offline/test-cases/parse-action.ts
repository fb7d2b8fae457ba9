/**
 * Plain imperative sentences of test steps as calls of tools: navigate, click, type, select, press, upload, wait, run. What is not understood is said, and never
 * guessed at.
 */
import type { PlannedCall } from "../calls.ts";

export type ParsedAction =
  | { readonly type: "calls"; readonly calls: readonly PlannedCall[] }
  | { readonly type: "unknown"; readonly sentence: string };

const VERBS =
  "navigate|go to|open|visit|browse to|reload|go back|click|press|tap|type|enter|fill|select|choose|upload|wait|run|execute|scroll|double-click|hit|take a screenshot|check that|verify|look|see|make sure|ensure|confirm that";

/** Two acts in one sentence, or one after the other. */
const BETWEEN = new RegExp(
  String.raw`(?:\.\s+|;\s*|,\s+(?:and then\s+|then\s+|and\s+)?|\s+(?:and then|then|and)\s+)(?=(?:${VERBS})\b)`,
  "gi",
);

/** By the rules of pages, or by others. */
export const parseAction = (text: string, rules: readonly Rule[] = PAGE_RULES): ParsedAction => {
  const calls: PlannedCall[] = [];
  for (const sentence of splitOutsideQuotes(text.trim().replace(/\.$/, ""))) {
    const call = parseSentence(sentence.trim(), rules);
    if (call === undefined) return { type: "unknown", sentence: sentence.trim() };
    if (call !== null) calls.push(call);
  }
  return { type: "calls", calls };
};

/** Quoted text is what is typed, and is not taken apart. */
const splitOutsideQuotes = (text: string): readonly string[] => {
  const quotes: string[] = [];
  const held = text.replaceAll(/"[^"]*"|`[^`]*`/g, (quote) => `\uE000${quotes.push(quote) - 1}\uE001`);
  const back = (part: string): string => part.replaceAll(/\uE000(\d+)\uE001/g, (_, at: string) => quotes[Number(at)] ?? "");
  return held
    .split(BETWEEN)
    .filter((part) => part.trim() !== "")
    .map(back);
};

export const QUOTED = String.raw`(?:"([^"]*)"|([^"\s]\S*))`;

/** The first form that fits a sentence tells the call; null where nothing has to be done. */
export type Rule = { readonly form: RegExp; readonly toCall: (found: readonly string[]) => PlannedCall | null };

export const RUN_RULE: Rule = {
  form: /^(?:run|execute)\s+(?:the command\s+)?`([^`]+)`$/i,
  toCall: ([command = ""]) => ({ tool: "shell", input: { command } }),
};

const PAGE_RULES: readonly Rule[] = [
  {
    form: new RegExp(
      String.raw`^(?:navigate to|go to|open|visit|browse to)\s+(?:the\s+)?(?:page\s+|url\s+|address\s+)?${QUOTED}$`,
      "i",
    ),
    toCall: ([quoted, plain]) => ({ tool: "browser_navigate", input: { url: quoted || plain || "" } }),
  },
  { form: /^(?:reload|refresh)(?: the page)?$/i, toCall: () => ({ tool: "browser_navigate", input: { go: "reload" } }) },
  { form: /^go back$/i, toCall: () => ({ tool: "browser_navigate", input: { go: "back" } }) },
  {
    form: /^(?:click|tap|press)(?: on)?\s+(?:the\s+)?(.+?(?:button|link|tab|checkbox|radio|option|menu|item|icon|row|"))$/i,
    toCall: ([what = ""]) => ({ tool: "browser_click", input: { description: unquote(what) } }),
  },
  {
    form: /^click(?: on)?\s+(?:the\s+)?(.+)$/i,
    toCall: ([what = ""]) => ({ tool: "browser_click", input: { description: unquote(what) } }),
  },
  {
    form: new RegExp(
      String.raw`^(?:type|enter|fill in|fill)\s+(?:the\s+)?${QUOTED}\s+(?:in|into|as|for)\s+(?:the\s+)?(.+)$`,
      "i",
    ),
    toCall: ([quoted, plain, where = ""]) => ({
      tool: "browser_type",
      input: { description: unquote(where), text: quoted || plain || "" },
    }),
  },
  {
    form: new RegExp(String.raw`^fill(?: in)?\s+(?:the\s+)?(.+?)\s+with\s+${QUOTED}$`, "i"),
    toCall: ([where = "", quoted, plain]) => ({
      tool: "browser_type",
      input: { description: unquote(where), text: quoted || plain || "" },
    }),
  },
  {
    form: new RegExp(String.raw`^(?:select|choose)\s+${QUOTED}\s+(?:in|from|as|for)\s+(?:the\s+)?(.+)$`, "i"),
    toCall: ([quoted, plain, where = ""]) => ({
      tool: "browser_select",
      input: { description: unquote(where), values: [quoted || plain || ""] },
    }),
  },
  {
    form: /^press\s+(?:the\s+)?(?:key\s+)?"?([A-Z][A-Za-z0-9+]*)"?(?:\s+key)?$/,
    toCall: ([key = ""]) => ({ tool: "browser_press", input: { key } }),
  },
  {
    form: new RegExp(
      String.raw`^upload\s+(?:the\s+)?(?:file\s+)?${QUOTED}\s+(?:in|into|to|as|for|with|by)\s+(?:the\s+)?(.+)$`,
      "i",
    ),
    toCall: ([quoted, plain, where = ""]) => ({
      tool: "browser_upload",
      input: { description: unquote(where), paths: [quoted || plain || ""] },
    }),
  },
  {
    form: /^wait (?:until|for)\s+(?:the page shows\s+)?"([^"]+)"(?:\s+(?:is shown|appears))?$/i,
    toCall: ([text = ""]) => ({ tool: "browser_wait", input: { text } }),
  },
  {
    form: /^wait\s+(\d+)\s*(?:s|seconds?)$/i,
    toCall: ([seconds = "1"]) => ({ tool: "browser_wait", input: { seconds: Number(seconds) } }),
  },
  RUN_RULE,
  // To look is done after every step anyway.
  { form: /^(?:look|see|check that|verify|make sure|ensure|confirm that)\b.*$/i, toCall: () => null },
];

/** Null where nothing has to be done, undefined where it is not understood. */
const parseSentence = (sentence: string, rules: readonly Rule[]): PlannedCall | null | undefined => {
  for (const { form, toCall } of rules) {
    const found = form.exec(sentence);
    if (found) return toCall(found.slice(1).map((one: string | undefined) => one ?? ""));
  }
  return undefined;
};

export const unquote = (text: string): string =>
  text
    .replaceAll('"', "")
    .replace(/^the\s+/i, "")
    .trim();
