/** `retinue sessions import`: a session that was exported as JSON, here or elsewhere, is recorded as it was. */
import { childRunId } from "@retinue/engine";
import type { RecordedEvent, RunId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { renameExport } from "@retinue/store";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { createId } from "../../create-id.ts";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { count } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import { withSpinner } from "../live/spinner.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { withRecord } from "./open-for-command.ts";

export type ImportOptions = Pick<SessionOptions, "workspace"> & { readonly asNew?: boolean; readonly json?: boolean };

/** About a second of work, in which nothing else is done. */
const LARGE_CHARS = 10_000_000;

export const importCommand = async (
  file: string,
  { asNew, json, ...options }: ImportOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const exportedText = await read(file, surroundings);
  const isLarge = exportedText.length > LARGE_CHARS;
  return withRecord(options, surroundings, async ({ sessions }) => {
    const { stdout, redact } = surroundings;
    const spinner = { ...surroundings, isSilent: json === true, atOnce: isLarge };
    const session = await withSpinner("importing the session", spinner, () => {
      const exported = parse(exportedText, file);
      return sessions.importSession(
        asNew === true ? renameExport(exported, { sessionId: `ses_${createId()}`, runIdOf: newRunId }) : exported,
      );
    });
    const { sessionId, title, headSeq } = session;
    await stdout.write(
      json === true
        ? `${toJsonLine({ imported: sessionId, events: headSeq }, redact)}\n`
        : `${toPrintable(redact(`imported ${sessionId} with ${count(headSeq, "event")}: ${title}`), "line")}\n`,
    );
    return EXIT.done;
  });
};

const read = async (file: string, { stdin }: Surroundings): Promise<string> => {
  try {
    return file === "-" ? await text(stdin) : await readFile(file, "utf8");
  } catch (cause) {
    throw new RetinueError("usage", `${file} cannot be read.`, {
      cause,
      hint: "Name a file that was exported, or - for standard input.",
    });
  }
};

const parse = (json: string, file: string): unknown => {
  try {
    return JSON.parse(json) as unknown;
  } catch (cause) {
    throw new RetinueError("import_invalid", `${file} is not JSON.`, { cause, hint: "Export the session with --format json." });
  }
};

/** A run that its parent would find again by the call that started it is found so under its new id, too. */
const newRunId = (requested: RecordedEvent & { readonly type: "run.requested" }, newParent: RunId | null): RunId => {
  const { runId, parentRunId, parentCallId } = requested;
  const isDerived = parentRunId !== null && parentCallId !== undefined && runId === childRunId(parentRunId, parentCallId);
  return isDerived && newParent !== null ? childRunId(newParent, parentCallId) : `run_${createId()}`;
};
