/** `retinue documents list`: what is in the index. */
import type { DocumentEntry } from "@retinue/tools";
import { openDocumentIndex } from "@retinue/tools";
import { existsSync } from "node:fs";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { brief, count } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import type { Surroundings } from "../surroundings.ts";
import type { DocumentsOptions } from "./documents-file.ts";
import { toDocumentsFile } from "./documents-file.ts";

export const documentsListCommand = async (
  { json }: DocumentsOptions,
  { stdout, stderr, env, redact }: Surroundings,
): Promise<number> => {
  const documents = readDocuments(toDocumentsFile(env));
  if (json === true) await stdout.write(`${toJsonLine({ documents }, redact)}\n`);
  else
    for (const { path, kind, bytes, chunks } of documents)
      await stdout.write(`${toPrintable(redact(path), "line")} (${kind}, ${brief(bytes)} bytes, ${count(chunks, "piece")})\n`);
  if (documents.length === 0) await stderr.write("retinue: no document is in the index; retinue documents add PATH adds some.\n");
  return EXIT.done;
};

/** Looking at what is not there does not make it. */
const readDocuments = (file: string): readonly DocumentEntry[] => {
  if (!existsSync(file)) return [];
  using index = openDocumentIndex(file, { readOnly: true });
  return index.list();
};
