/** What redaction does to what is written and run: nothing. A call that holds a secret is refused, and a word is no secret. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RecordedEvent } from "@retinue/protocol";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import type { MockProject } from "./testing/mock-project.ts";
import { call, createMockProject } from "./testing/mock-project.ts";
import { withoutSandboxLine } from "./testing/without-sandbox-line.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const run = async (
  calls: readonly ReturnType<typeof call>[],
  dotenv: string,
): Promise<{ readonly made: MockProject; readonly events: readonly RecordedEvent[] }> => {
  const made = await createMockProject([{ toolCalls: [...calls] }, { text: "done" }]);
  cleanups.push(made.remove);
  await writeFile(join(made.project.workspace, ".env"), dotenv);
  await writeFile(join(made.project.workspace, "notes.txt"), "first line\n");
  const ended = await callRetinue(made.project, ["run", "--approve", "all", "--json", "do it"]);
  expect(withoutSandboxLine(ended.stderr)).toBe("");
  return {
    made,
    events: ended.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as RecordedEvent),
  };
};

const settled = (events: readonly RecordedEvent[]): readonly unknown[] =>
  events.flatMap((event) => (event.type === "tool.settled" && event.depth === 0 ? [event.error?.code ?? event.outcome] : []));

describe("L13 redaction changes nothing that is written or run", () => {
  test("a password that is a word is written as it was said", async () => {
    const content = "services:\n  db:\n    image: postgres:16\n";
    const { made, events } = await run([call("write", { path: "compose.yml", content })], "POSTGRES_PASSWORD=postgres\n");
    expect(settled(events)).toEqual(["ok"]);
    expect(await readFile(join(made.project.workspace, "compose.yml"), "utf8")).toBe(content);
  });

  test("a write, an edit and a command that hold a secret are refused with a reason, and nothing happens", async () => {
    const secret = "canary-0a1b2c3d4e";
    const { made, events } = await run(
      [
        call("write", { path: "config.txt", content: `key=${secret}` }),
        call("edit", { path: "notes.txt", edits: [{ old: "first", new: secret }] }),
        call("shell", { command: `echo ${secret} > out.txt` }),
        call("write", { path: "copied.txt", content: "key=[redacted:API_KEY_2]" }),
        call("write", { path: "spelled.txt", content: Buffer.from(secret).toString("base64") }),
      ],
      `API_KEY_2=${secret}\n`,
    );
    expect(settled(events)).toEqual(Array.from({ length: 5 }, () => "tool_arguments_secret"));
    expect(JSON.stringify(events)).toContain("[redacted:API_KEY_2] stands in its arguments in place of a secret");
    expect(JSON.stringify(events)).not.toContain(secret);
    expect(await readFile(join(made.project.workspace, "notes.txt"), "utf8")).toBe("first line\n");
    for (const file of ["config.txt", "out.txt", "copied.txt", "spelled.txt"])
      await expect(readFile(join(made.project.workspace, file))).rejects.toThrow("ENOENT");
  });

  test("a text that speaks of redaction is written as it was said", async () => {
    const content = 'const REDACTED = "[redacted]"; // or [redacted:NAME]\n';
    const { made, events } = await run([call("write", { path: "a.ts", content })], "API_KEY_2=canary-0a1b2c3d4e\n");
    expect(settled(events)).toEqual(["ok"]);
    expect(await readFile(join(made.project.workspace, "a.ts"), "utf8")).toBe(content);
  });
});
