/** `npm run commands-doc`: writes docs/commands.md from the commands of `retinue`. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { toCommandsReference } from "../packages/retinue/src/cli/commands-reference.ts";
import { buildProgram } from "../packages/retinue/src/cli/program.ts";
import { createSurroundings } from "../packages/retinue/src/cli/surroundings.ts";

const program = buildProgram(
  createSurroundings(),
  async () => undefined,
  () => undefined,
);
writeFileSync(path.resolve(import.meta.dirname, "../docs/commands.md"), toCommandsReference(program));
