/** At a real terminal: what was typed before a question stood there does not answer it. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startInTerminal } from "./testing/in-terminal.ts";
import { call, createMockProject } from "./testing/mock-project.ts";

const REPLIES = [{ toolCalls: [call("write", { path: "made.txt", content: "made\n" })] }, { text: "Done." }];

test("a yes that was typed before the question is no answer to it", { timeout: 120_000 }, async () => {
  const { project, remove } = await createMockProject(REPLIES);
  try {
    const at = startInTerminal(project, ["run", "--approve", "ask", "make it"]);
    at.type("y\r");
    at.type("y");
    await at.until("Allow it?");
    at.type("\r");
    const { stdout } = await at.ended;
    expect(stdout).toContain("what was typed before this question is not taken for an answer");
    expect(stdout).toContain("main wants to write with write:");
    expect(existsSync(path.join(project.workspace, "made.txt"))).toBe(false);
  } finally {
    await remove();
  }
});

test("a yes that is typed after the question is one", { tags: ["long"], timeout: 120_000 }, async () => {
  const { project, remove } = await createMockProject(REPLIES);
  try {
    const at = startInTerminal(project, ["run", "--approve", "ask", "make it"]);
    await at.until("Allow it?");
    at.type("y\r");
    await at.ended;
    expect(existsSync(path.join(project.workspace, "made.txt"))).toBe(true);
  } finally {
    await remove();
  }
});

test(
  "at the prompt a line that was begun before the question goes on after it",
  { tags: ["long"], timeout: 120_000 },
  async () => {
    const { project, server, remove } = await createMockProject([...REPLIES, { text: "Heard the rest." }]);
    try {
      const at = startInTerminal(project, ["--plain", "--approve", "ask"]);
      await at.until("/help tells");
      at.type("make it\ry");
      await at.until("Allow it?");
      at.type("\r");
      await at.until("Done.");
      // The prompt has the y that was begun.
      at.type("es please\r");
      await at.until("Heard the rest.");
      at.type("\u0004");
      await at.ended;
      expect(existsSync(path.join(project.workspace, "made.txt"))).toBe(false);
      expect(server.requests.at(-1)?.text).toContain("yes please");
    } finally {
      await remove();
    }
  },
);
