/**
 * Puts secrets that a command line refers to within its reach, without writing them into it: each stands in the environment of the command, and where the
 * line had `{{secret:NAME}}` it has the variable, quoted as the place needs it. So no record, question or list of processes holds a value.
 */
import { RetinueError } from "@retinue/protocol";
import { SECRET_REFERENCE, secretNamesIn } from "@retinue/runtime";

export type FilledLine = { readonly command: string; readonly env: Readonly<Record<string, string>> };

/** Values by name. */
export type SecretValues = ReadonlyMap<string, string>;

export const fillSecrets = (command: string, values: SecretValues): FilledLine => {
  const names = secretNamesIn(command);
  if (names.length === 0) return { command, env: {} };
  const missing = names.find((name) => !values.has(name));
  if (missing !== undefined)
    throw new RetinueError(
      "tool_failed",
      `There is no secret ${missing} that a command could be given, so that nothing was run.`,
      {
        hint: values.size === 0 ? "The .env of the workspace holds none." : `There are: ${[...values.keys()].join(", ")}.`,
      },
    );
  if (command.includes("<<"))
    throw new RetinueError("tool_failed", "Secrets are not filled into here-documents, so that nothing was run.", {
      hint: "Give it as an argument, or pipe it: printf %s {{secret:NAME}} | command.",
    });
  const env = Object.fromEntries(names.map((name) => [toVariable(name), values.get(name) ?? ""]));
  return { command: quoteReferences(command), env };
};

const toVariable = (name: string): string => `RETINUE_SECRET_${name.replaceAll(/\W/g, "_")}`;

/** At the beginning of what is left. */
const REFERENCE = new RegExp(`^${SECRET_REFERENCE.source}`);
const MOST_REFERENCE = 100;

type Quote = "none" | "single" | "double";

/** Walks over the line as the shell would, as far as quotes go. */
const quoteReferences = (command: string): string => {
  let quote: Quote = "none";
  let done = "";
  for (let at = 0; at < command.length;) {
    const [reference, name] = REFERENCE.exec(command.slice(at, at + MOST_REFERENCE)) ?? [];
    if (reference !== undefined && name !== undefined) {
      done += toReference(toVariable(name), quote);
      at += reference.length;
      continue;
    }
    const char = command[at] ?? "";
    const isEscape = char === "\\" && quote !== "single";
    done += isEscape ? command.slice(at, at + 2) : char;
    at += isEscape ? 2 : 1;
    if (!isEscape) quote = nextQuote(quote, char);
  }
  return done;
};

const nextQuote = (quote: Quote, char: string): Quote => {
  if (char === "'" && quote !== "double") return quote === "single" ? "none" : "single";
  if (char === '"' && quote !== "single") return quote === "double" ? "none" : "double";
  return quote;
};

const toReference = (variable: string, quote: Quote): string => {
  switch (quote) {
    case "none":
      return `"\${${variable}}"`;
    case "double":
      return `\${${variable}}`;
    case "single":
      return `'"\${${variable}}"'`;
    default:
      return quote satisfies never;
  }
};
