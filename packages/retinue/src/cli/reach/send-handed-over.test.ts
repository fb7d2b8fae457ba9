import { expect, test, vi } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject } from "../testing/mock-project.ts";

test("what is sent to a session whose conversation is being handed over in another process is heard by whoever has it", async () => {
  const gate = Promise.withResolvers<void>();
  const heard: string[] = [];
  const made = await createMockProject(async ({ text }) => {
    if (!text.includes("operating as a **researcher**"))
      return {
        text: "I hand you over.",
        toolCalls: [call("delegate_to_agent", { agent: "researcher", task: "Explain.", transfer: true })],
      };
    heard.push(text);
    if (heard.length > 1) return { text: "You bought quinces." };
    await gate.promise;
    return { toolCalls: [call("ls", { path: "." })] };
  });
  try {
    const running = made.project.start(["run", "Why is my bill so high?"]);
    await vi.waitFor(() => expect(heard).toHaveLength(1), { timeout: 60_000 });
    const { code, stdout } = await callRetinue(made.project, ["send", "latest", "only", "the", "fruit"]);
    expect(code).toBe(0);
    expect(stdout).toContain("(researcher)");
    gate.resolve();
    expect(await running.ended).toMatchObject({ code: 0, stdout: "You bought quinces.\n" });
    expect(heard[1]).toContain("only the fruit");
  } finally {
    gate.resolve();
    await made.remove();
  }
});
