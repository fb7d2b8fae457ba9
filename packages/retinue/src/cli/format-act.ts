/** The act that a question is about, as it would be executed: made safe to print, and never cut. */
import { describeHidden } from "@retinue/client/text";
import type { Json, ProposedAct, UserQuestion } from "@retinue/protocol";
import { toPrintable } from "../terminal/printable.ts";
import type { Redact } from "./format-error.ts";

const line = (text: string): string => toPrintable(text, "line");

/** `executor wants to …`. */
export const formatWish = ({ effect, tool }: ProposedAct): string =>
  `${effect === "network" ? "use the network" : effect} with ${line(tool)}`;

/** What the call is given, a line for each line of it. */
export const formatInput = ({ input }: ProposedAct, redact: Redact): readonly string[] =>
  Object.entries(typeof input === "object" && input !== null && !Array.isArray(input) ? input : { input }).flatMap(
    ([key, value]) => {
      const text = redact(typeof value === "string" ? value : JSON.stringify(value));
      const lines = text.split("\n").map(line);
      return lines.length === 1
        ? [`  ${line(key)}: ${lines.join("")}`]
        : [`  ${line(key)}:`, ...lines.map((row) => `    ${row}`)];
    },
  );

/** What a call would change. */
export const formatDiff = (diff: string, redact: Redact): readonly string[] => [
  "  would change:",
  ...redact(diff)
    .split("\n")
    .map((row) => `    ${line(row)}`),
];

/** A warning where the call holds characters that a reader would not see. */
export const formatHidden = (input: Json): readonly string[] => {
  const hidden = describeHidden(input);
  return hidden === undefined ? [] : [`  warning: has ${hidden}, drawn as \\u{…}`];
};

/** The paths and hosts that it touches, the secrets that it is given, and that nothing would keep it to them, where that is so. */
export const formatTouched = (
  { input, paths, hosts, unsandboxed, askedBy, secrets = [], changed = [] }: ProposedAct,
  redact: Redact,
): readonly string[] => [
  ...formatHidden(input),
  ...(changed.length === 0 ? [] : [`  asked again, since this changed: ${line(redact(changed.join(", ")))}`]),
  ...[...paths, ...hosts].map((touched) => `  touches: ${line(redact(touched))}`),
  ...(secrets.length === 0 ? [] : [`  is given the secrets: ${line(secrets.join(", "))}`]),
  ...(askedBy === undefined ? [] : [`  is asked about by a rule of ${line(redact(askedBy))}`]),
  ...(unsandboxed === undefined ? [] : [`  ${line(redact(unsandboxed))}`]),
];

/** What an agent asks the user, and the answers that it offers by their numbers. */
export const formatUserQuestion = ({ text, options }: UserQuestion, redact: Redact): readonly string[] => [
  ...redact(text)
    .split("\n")
    .map((row) => `  ${line(row)}`),
  ...options.map((option, at) => `  ${at + 1}  ${line(redact(option))}`),
];

export const formatAct = (act: ProposedAct, redact: Redact): readonly string[] =>
  act.question === undefined
    ? [`wants to ${formatWish(act)}:`, ...formatInput(act, redact), ...formatTouched(act, redact)]
    : ["asks you:", ...formatUserQuestion(act.question, redact)];
