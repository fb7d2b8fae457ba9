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

test("a script whose path has blanks is one that the command runs, however its name is spelt", async () => {
  await using made = await createTestWorkspace({ "my hooks/check it.sh": "sh 'my hooks/more.sh'\n", "my hooks/more.sh": "true" });
  const filesOf = async (command: string) => Object.keys(await digestCommandFiles({ root: made.workspace, texts: [command] }));
  for (const command of [
    'sh "my hooks/check it.sh"',
    "sh 'my hooks/check it.sh' --fast",
    "sh my\\ hooks/check\\ it.sh",
    '"my hooks"/check\\ it.sh',
    "cd . && 'my hooks/check it.sh';true",
    `sh -c 'sh "my hooks/check it.sh"'`,
    `env SCRIPT="my hooks/check it.sh" sh run`,
    `bash --init-file='my hooks/check it.sh' -i`,
    `sh -c "cd . && sh my\\\\ hooks/check\\\\ it.sh"`,
    "my hooks/check it.sh",
  ])
    expect([command, await filesOf(command)]).toEqual([
      command,
      command === "my hooks/check it.sh" ? [] : ["my hooks/check it.sh", "my hooks/more.sh"],
    ]);
});
