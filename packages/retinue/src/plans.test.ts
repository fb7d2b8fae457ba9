/** Plans by the library: made for a goal, changed by the caller, carried out, with what became of each step. Only the model is played. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createScriptedModel } from "@retinue/model/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRetinue } from "./create-retinue.ts";

const PLAN = {
  steps: [
    { id: "write", description: "write a.txt", expectedResult: "a.txt says hello" },
    { id: "look", description: "look at a.txt", expectedResult: "it says hello", type: "review", dependsOn: ["write"] },
  ],
};

describe("a plan by the library", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "retinue-plans-"));
  });
  afterAll(async () => rm(folder, { recursive: true, force: true }));

  test("is made for a goal, can be changed, and is carried out; one that cannot be is refused before anything runs", async () => {
    const tasks: string[] = [];
    const retinue = await createRetinue({
      workspace: folder,
      env: { PATH: process.env["PATH"], HOME: folder, RETINUE_HOME: path.join(folder, "state"), RETINUE_APPROVE: "workspace" },
      model: createScriptedModel(({ messages }) => {
        const [first] = messages[0]?.content ?? [];
        const task = first?.type === "text" ? first.text : "";
        if (task.startsWith("Make a plan")) return { text: JSON.stringify(PLAN) };
        if (task.includes("MODE 3: VERDICT.")) return { text: JSON.stringify({ status: "pass", summary: "Said hello." }) };
        if (messages.some(({ role }) => role === "tool") || !task.includes("write a.txt"))
          return { text: "RESULT: PASS\nSUMMARY: It says hello." };
        tasks.push(task);
        return { toolCalls: [{ tool: "write", input: { path: "a.txt", content: "hello\n" } }] };
      }),
    });
    try {
      const made = await (await retinue.planForGoal("greet")).plan;
      expect(made).toMatchObject({
        goal: "greet",
        steps: [
          { id: "write", agent: "executor", dependsOn: [], requiresApproval: false },
          { id: "look", agent: "reviewer", dependsOn: ["write"] },
        ],
      });
      const [write, look] = made.steps;
      if (!write || !look) throw new Error("There are two steps.");
      const changed = { ...made, steps: [{ ...write, description: "write a.txt in English" }, look] };
      const execution = await retinue.executePlan(changed);
      const { status, summary, steps, totals } = await execution.verdict;
      expect({ status, summary }).toEqual({ status: "pass", summary: "Said hello." });
      expect([...steps].map(([id, { state }]) => `${id} ${state}`)).toEqual(["write completed", "look completed"]);
      expect(totals.toolCalls).toBe(1);
      expect(tasks[0]).toContain("write a.txt in English");
      expect(await readFile(path.join(folder, "a.txt"), "utf8")).toBe("hello\n");
      const circle = { ...made, steps: [{ ...write, dependsOn: ["look"] }, look] };
      await expect(retinue.executePlan(circle)).rejects.toMatchObject({ code: "plan_invalid" });
    } finally {
      await retinue.close();
    }
  });
});
