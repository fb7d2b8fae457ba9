import { expect, test } from "vitest";
import { createTestWorkspace } from "../testing/tool-context.ts";
import { digestCommandFiles } from "./command-files.ts";

test("a file that a command only writes to is none that it runs, and one that it names besides is", async () => {
  await using made = await createTestWorkspace({
    "log.txt": "a",
    "run.sh": "echo hi > out.txt\nsh ./more.sh\n",
    "more.sh": "true",
    "out.txt": "b",
  });
  const filesOf = async (command: string) => Object.keys(await digestCommandFiles({ root: made.workspace, texts: [command] }));
  for (const command of ["cat >> log.txt", "env>log.txt", "env 2>&1 >'log.txt'", 'cat &> "log.txt"', "x >| log.txt"])
    expect(await filesOf(command), command).toEqual([]);
  expect(await filesOf("cat > log.txt; sh log.txt")).toEqual(["log.txt"]);
  expect(await filesOf("sh run.sh >> log.txt")).toEqual(["more.sh", "run.sh"]);
});
