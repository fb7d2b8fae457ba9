/** The document of errors holds every code of the registry under its kind. */
import { expect, test } from "vitest";
import { ERRORS } from "../packages/protocol/src/errors.ts";
import { toErrorsDocument } from "./generate-errors-doc.ts";

test("codes stand under their kind, and what would be markup is escaped", () => {
  const document = toErrorsDocument({
    late: { kind: "run", meaning: "A | B.", hint: "Set providers.<name>, see `doctor <name>`." },
    early: { kind: "model", meaning: "First.", hint: "Again." },
  });
  expect(document.split("\n").filter((line) => /^(##|\| `)/.test(line))).toEqual([
    "## What a model reads",
    "| `early` | First. | Again. |",
    "## What ends a run",
    "| `late` | A \\| B. | Set providers.\\<name>, see `doctor <name>`. |",
  ]);
});

test("every code of the registry has exactly one row", () => {
  const rows = [...toErrorsDocument(ERRORS).matchAll(/^\| `(\w+)`/gm)].map(([, code = ""]) => code);
  expect(rows.toSorted()).toEqual(Object.keys(ERRORS).toSorted());
});
