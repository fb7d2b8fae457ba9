/** Run after a change of the schema: writes `test-case.schema.json` anew. */
import { writeFileSync } from "node:fs";
import { testCaseJsonSchema } from "./test-case-json-schema.ts";

writeFileSync(new URL("../../test-case.schema.json", import.meta.url), `${JSON.stringify(testCaseJsonSchema(), null, 2)}\n`);
