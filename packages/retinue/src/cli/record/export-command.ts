/** `retinue sessions export`: a session taken out whole, as a document to read or as data to keep. */
import { RetinueError } from "@retinue/protocol";
import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { toJsonText } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { count } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import { withSpinner } from "../live/spinner.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { findSession } from "./find-session.ts";
import { withRecord } from "./open-for-command.ts";
import { toMarkdown } from "./to-markdown.ts";

export type ExportOptions = Pick<SessionOptions, "workspace"> & {
  readonly format?: string;
  readonly output?: string;
  readonly json?: boolean;
};

/** About a second of work, in which nothing else is done. */
const MANY_EVENTS = 20_000;

const FORMATS = ["markdown", "json"] as const;
type Format = (typeof FORMATS)[number];

/** What is said; else what the file is called; else Markdown. */
const toFormat = ({ format, output = "", json }: ExportOptions): Format => {
  if (format === undefined) return json === true || extname(output).toLowerCase() === ".json" ? "json" : "markdown";
  const known = FORMATS.find((one) => one === (format === "md" ? "markdown" : format));
  if (known === undefined) throw new RetinueError("usage", `--format is ${FORMATS.join(" or ")}, not ${format}.`);
  return known;
};

export const exportCommand = (name: string, options: ExportOptions, surroundings: Surroundings): Promise<number> => {
  const format = toFormat(options);
  const { output, workspace: folder } = options;
  return withRecord(folder === undefined ? {} : { workspace: folder }, surroundings, async ({ sessions, workspace }) => {
    const { stdout, stderr, redact } = surroundings;
    const session = await findSession(name, { sessions, workspace });
    const spinner = { ...surroundings, isSilent: options.json === true, atOnce: session.headSeq > MANY_EVENTS };
    const { exported, text } = await withSpinner(`exporting ${count(session.headSeq, "event")}`, spinner, async () => {
      const whole = await sessions.exportSession(session.sessionId);
      return {
        exported: whole,
        text: format === "json" ? `${toJsonText(whole, redact)}\n` : toPrintable(redact(toMarkdown(whole)), "prose"),
      };
    });
    if (output === undefined || output === "-") await stdout.write(text);
    else {
      await write(output, text);
      await stderr.write(`retinue: ${toPrintable(output, "line")} is written.\n`);
    }
    if (exported.damage === null) return EXIT.done;
    const { seq, what } = exported.damage;
    await stderr.write(
      `retinue: the session is damaged${seq === null ? "" : ` at event #${seq}`}: ${toPrintable(what, "line")}; what verifies was exported.\n`,
    );
    return EXIT.failed;
  });
};

/** For its owner's eyes: what was said is nobody else's business. */
const write = async (file: string, text: string): Promise<void> => {
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (cause) {
    throw new RetinueError("output_failed", `${file} cannot be written.`, { cause, hint: "Name a file that you may write." });
  }
};
