/** What happens with servers, for people: bounded a server, escaped, without its secrets. */
import type { Redact } from "./expand-variables.ts";
import { toShownText } from "./escape-hidden.ts";

export type McpLog = {
  readonly server: string;
  /** `print`: a line of the server's own. */
  readonly level: "print" | "info" | "warning" | "error";
  readonly text: string;
};

export type ServerLog = {
  readonly print: (line: string) => void;
  readonly say: (level: "info" | "warning" | "error", text: string) => void;
  /** The last lines it printed, which often say why it failed. */
  readonly lastPrinted: () => string;
};

export type ServerLogOptions = {
  readonly server: string;
  readonly redact: Redact;
  readonly onLog: ((log: McpLog) => void) | undefined;
};

const MOST_PRINTED = 200;
const MOST_SAID = 1000;
const MOST_LINE_CHARS = 1000;
const LAST_LINES = 5;

export const createServerLog = ({ server, redact, onLog }: ServerLogOptions): ServerLog => {
  const last: string[] = [];
  let printed = 0;
  let said = 0;
  const clean = (text: string): string => toShownText(redact(text), MOST_LINE_CHARS);
  return {
    print: (line) => {
      last.push(line.slice(0, MOST_LINE_CHARS * 2));
      if (last.length > LAST_LINES) last.shift();
      printed += 1;
      if (printed <= MOST_PRINTED) onLog?.({ server, level: "print", text: clean(line) });
      else if (printed === MOST_PRINTED + 1)
        onLog?.({ server, level: "warning", text: "prints too much; the rest is not shown" });
    },
    say: (level, text) => {
      said += 1;
      if (said <= MOST_SAID) onLog?.({ server, level, text: clean(text) });
    },
    lastPrinted: () => last.map(clean).join("\n"),
  };
};
