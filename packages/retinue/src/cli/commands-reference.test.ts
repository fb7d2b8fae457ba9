import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { toCommandsReference } from "./commands-reference.ts";
import { listCommands } from "./list-commands.ts";
import { buildProgram } from "./program.ts";
import { exampleOf } from "./register/examples.ts";
import { createSurroundings } from "./surroundings.ts";

const program = buildProgram(
  createSurroundings(),
  async () => undefined,
  () => undefined,
);
const commands = listCommands(program);

test("docs/commands.md is what the commands say; npm run commands-doc writes it", async () => {
  expect(await readFile(new URL("../../../../docs/commands.md", import.meta.url), "utf8")).toBe(toCommandsReference(program));
});

test.each(commands.filter(({ path }) => path !== "").map(({ path }) => path))("the help of %s shows an example", (path) => {
  expect(exampleOf(path)).toMatch(/retinue/);
});
