import { describe, expect, it } from "vitest";
import { createTestWorkspace } from "@retinue/confine/testing";
import { createAskUserTool } from "./ask-user.ts";
import { createTodoTool } from "./todo.ts";

describe("ask_user", () => {
  it("is a question to the human, and hands their answer on", async () => {
    await using workspace = await createTestWorkspace();
    const tool = createAskUserTool();
    const input = tool.input.parse({ question: " Which one? ", options: ["first", "second"] });
    expect(tool.touches(input)).toEqual({ question: { text: "Which one?", options: ["first", "second"] } });
    expect(await tool.execute(input, { ...workspace.context, answer: " the second \n" })).toBe("The user answered: the second");
    expect(await tool.execute(input, { ...workspace.context, answer: " " })).toBe("The user answered with nothing.");
    expect(tool).toMatchObject({ effect: "read", repeatable: true });
  });

  it("tells an agent whose question was let through without a word to decide itself", async () => {
    await using workspace = await createTestWorkspace();
    await expect(createAskUserTool().execute({ question: "Anybody?" }, workspace.context)).rejects.toMatchObject({
      code: "tool_failed",
      message: "The user did not answer.",
      hint: expect.stringContaining("Decide yourself"),
    });
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
