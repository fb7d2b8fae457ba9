/** `retinue test init`: writes a first test case, and the schema by which editors check it. What is there already is left as it is. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import { toWorkspace } from "../session-options.ts";
import { packageFile } from "../package-file.ts";
import type { Surroundings } from "../surroundings.ts";
import type { TestOptions } from "./test-options.ts";

const SCHEMA_FILE = "test-case.schema.json";

const FIRST_CASE = `# yaml-language-server: $schema=./${SCHEMA_FILE}
# Say here what your start page shows. A check is evaluated by the runner itself; a sentence is judged by the agent.
title: The start page greets
tags: [smoke]
steps:
  - action: Navigate to \${baseUrl}/
    expected:
      - check: title
        contains: Welcome
      - check: visible
        element: heading "Welcome"
`;

const SUITE = `# Settings of all test cases in this folder: where your application is, and, without the marks before it, how it is started.
# app:
#   command: npm start
#   url: http://127.0.0.1:3000/
#   reuse: true
baseUrl:
  local: http://127.0.0.1:3000
`;

export const testInitCommand = async (folder: string, options: TestOptions, { stderr }: Surroundings): Promise<number> => {
  const place = path.resolve(toWorkspace(options), folder);
  await mkdir(place, { recursive: true });
  const schema = await readFile(packageFile(SCHEMA_FILE), "utf8");
  for (const [name, text] of [
    ["first.yaml", FIRST_CASE],
    ["suite.yaml", SUITE],
    [SCHEMA_FILE, schema],
  ] as const) {
    const file = path.join(place, name);
    try {
      await writeFile(file, text, { flag: "wx" });
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST"))
        throw new RetinueError("usage", `${file} cannot be written.`, { cause });
      await stderr.write(`retinue: ${toPrintable(path.join(folder, name), "line")} is there already and was left as it is.\n`);
      continue;
    }
    await stderr.write(`retinue: wrote ${toPrintable(path.join(folder, name), "line")}\n`);
  }
  const shown = toPrintable(folder, "line");
  await stderr.write(
    `retinue: say in ${shown}/suite.yaml where your application is, and in ${shown}/first.yaml what it shows; retinue test ${shown} runs it.\n`,
  );
  return EXIT.done;
};
