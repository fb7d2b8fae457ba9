/** `retinue documents remove`: takes files, or all below a folder, out of the index. The files themselves stay. */
import { RetinueError } from "@retinue/protocol";
import { openDocumentIndex } from "@retinue/tools";
import { existsSync } from "node:fs";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import type { Surroundings } from "../surroundings.ts";
import type { DocumentsOptions } from "./documents-file.ts";
import { toDocumentPaths, toDocumentsFile } from "./documents-file.ts";

export const documentsRemoveCommand = async (
  named: readonly string[],
  options: DocumentsOptions,
  { stdout, env, redact }: Surroundings,
): Promise<number> => {
  const removed = removeDocuments(toDocumentsFile(env), toDocumentPaths(named, options));
  if (removed.length === 0)
    throw new RetinueError("usage", `Nothing of ${named.join(", ")} is in the index.`, {
      hint: "retinue documents list tells what is.",
    });
  if (options.json === true) await stdout.write(`${toJsonLine({ removed }, redact)}\n`);
  else for (const path of removed) await stdout.write(`removed ${toPrintable(redact(path), "line")}\n`);
  return EXIT.done;
};

const removeDocuments = (file: string, paths: readonly string[]): readonly string[] => {
  if (!existsSync(file)) return [];
  using index = openDocumentIndex(file);
  return index.remove(paths);
};
