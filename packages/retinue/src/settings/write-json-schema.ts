/** Run after a change of the schema: writes `retinue.schema.json` anew. */
import { writeFileSync } from "node:fs";
import { settingsJsonSchema } from "./json-schema.ts";

writeFileSync(new URL("../../retinue.schema.json", import.meta.url), `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`);
