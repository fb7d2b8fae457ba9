import { describe, expect, it } from "vitest";
import { createTestWorkspace } from "@retinue/confine/testing";
import type { Question } from "./ask-user.ts";
import { createAskUserTool } from "./ask-user.ts";
import { createTodoTool } from "./todo.ts";

describe("ask_user", () => {
  it("asks and gives the answer", async () => {
    await using workspace = await createTestWorkspace();
    const asked: Question[] = [];
    const tool = createAskUserTool({
      ask: async (question) => {
        asked.push(question);
        return " the second \n";
      },
    });
    const input = tool.input.parse({ question: " Which one? ", options: ["first", "second"] });
    expect(await tool.execute(input, workspace.context)).toBe("The user answered: the second");
    const { run, callId } = workspace.context;
    expect(asked).toEqual([{ question: "Which one?", options: ["first", "second"], run, callId }]);
    expect(tool).toMatchObject({ effect: "read", repeatable: true });
  });

  it("says so when nobody is there, and when nobody answers", async () => {
    await using workspace = await createTestWorkspace();
    const input = { question: "Anybody?" };
    await expect(createAskUserTool().execute(input, workspace.context)).rejects.toMatchObject({
      code: "tool_failed",
      message: "Nobody is there to answer.",
      hint: expect.stringContaining("Decide yourself"),
    });
    const silent = createAskUserTool({ ask: async () => undefined });
    await expect(silent.execute(input, workspace.context)).rejects.toMatchObject({ message: "The user did not answer." });
  });

  it("hands on that the run was stopped", async () => {
    await using workspace = await createTestWorkspace();
    const tool = createAskUserTool({
      ask: (_question, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true })),
    });
    const answer = tool.execute({ question: "Anybody?" }, workspace.context);
    workspace.stop();
    await expect(answer).rejects.toThrow("stopped");
  });

  it.each([[{ question: " " }], [{ question: "x", options: ["only one"] }], [{ question: "x", options: ["a", ""] }], [{}]])(
    "%j is no question",
    (input) => {
      expect(createAskUserTool().input.safeParse(input).success).toBe(false);
    },
  );
});

describe("todo", () => {
  it("shows the list that it was given", async () => {
    await using workspace = await createTestWorkspace();
    const tool = createTodoTool();
    const input = tool.input.parse({
      items: [
        { text: "read the code", status: "completed" },
        { text: "write\nthe test", status: "in_progress" },
        { text: "run it", status: "pending" },
      ],
    });
    expect(await tool.execute(input, workspace.context)).toBe(
      "[x] read the code\n[>] write the test\n[ ] run it\n1 of 3 completed.",
    );
    expect(await tool.execute({ items: [] }, workspace.context)).toBe("The list is empty.");
    expect(tool).toMatchObject({ effect: "read", repeatable: true });
  });

  it("reminds of one thing at a time", async () => {
    await using workspace = await createTestWorkspace();
    const items = ["a", "b"].map((text) => ({ text, status: "in_progress" as const }));
    expect(await createTodoTool().execute({ items }, workspace.context)).toContain("2 are in progress; one at a time is better.");
  });

  it.each([[{ items: [{ text: "", status: "pending" }] }], [{ items: [{ text: "x", status: "done" }] }], [{}]])(
    "%j is no list",
    (input) => {
      expect(createTodoTool().input.safeParse(input).success).toBe(false);
    },
  );
});
