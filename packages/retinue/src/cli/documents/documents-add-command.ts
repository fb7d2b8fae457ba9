/** `retinue documents add`: reads files and folders into the index that `search_documents` searches; what did not change is not read again. */
import { openDocumentIndex } from "@retinue/tools";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { withSpinner } from "../live/spinner.ts";
import type { Surroundings } from "../surroundings.ts";
import type { DocumentsOptions } from "./documents-file.ts";
import { requireThere, toDocumentPaths, toDocumentsFile } from "./documents-file.ts";

export const documentsAddCommand = async (
  named: readonly string[],
  options: DocumentsOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, stderr, env, redact } = surroundings;
  const paths = toDocumentPaths(named, options);
  requireThere(paths);
  const file = toDocumentsFile(env);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const interrupts = listenForInterrupts(() => void stderr.write("retinue: stopping.\n"));
  try {
    using index = openDocumentIndex(file);
    const spinner = { ...surroundings, isSilent: options.json === true };
    const report = await withSpinner("reading documents", spinner, () => index.add(paths, { signal: interrupts.signal }));
    if (options.json === true) await stdout.write(`${toJsonLine(report, redact)}\n`);
    else {
      const show = (text: string): string => toPrintable(redact(text), "line");
      for (const path of report.added) await stdout.write(`added ${show(path)}\n`);
      for (const path of report.updated) await stdout.write(`updated ${show(path)}\n`);
      for (const path of report.removed) await stdout.write(`removed ${show(path)}\n`);
      for (const { path, why } of report.skipped) await stderr.write(`retinue: left out ${show(path)}: ${show(why)}\n`);
      await stdout.write(
        `${report.added.length} added, ${report.updated.length} updated, ${report.unchanged.length} unchanged, ` +
          `${report.removed.length} removed, ${report.skipped.length} left out.\n`,
      );
    }
    const isNothingThere = report.added.length + report.updated.length + report.unchanged.length === 0;
    return isNothingThere && report.skipped.length > 0 ? EXIT.failed : EXIT.done;
  } catch (thrown) {
    const exitCode = interrupts.exitCode();
    if (exitCode !== undefined) return exitCode;
    throw thrown;
  } finally {
    interrupts.release();
  }
};
