import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import { call, createMockProject } from "./testing/mock-project.ts";

test("a recording of an agent that stops another one by the id of its run is replayed, though ids are others", async () => {
  const waits = Promise.withResolvers<void>();
  const made = await createMockProject(async ({ text }) => {
    if (text.includes("You are slow.")) {
      await waits.promise;
      return { text: "Never heard." };
    }
    if (text.includes("You are quick.")) return { text: "Looked it up." };
    if (text.includes("is being stopped")) return { text: "It was stopped." };
    if (text.includes("Looked it up.")) {
      const [run] = /run_[0-9a-z]{24,}/.exec(text) ?? [];
      return { toolCalls: [call("stop_agent", { run, reason: "It is known already." })] };
    }
    return text.includes("delegate_to_agent") && /run_[0-9a-z]{24,}/.test(text)
      ? { toolCalls: [call("delegate_to_agent", { agent: "quick", task: "look it up" })] }
      : { toolCalls: [call("delegate_to_agent", { agent: "slow", task: "find it out", background: true })] };
  });
  try {
    const agents = join(made.project.workspace, ".retinue/agents");
    await mkdir(agents, { recursive: true });
    for (const name of ["slow", "quick"])
      await writeFile(
        join(agents, `${name}.md`),
        `---\nname: ${name}\ndescription: Is ${name}.\ntools: [ls]\n---\nYou are ${name}.\n`,
      );
    const tape = join(made.project.home, "tape.jsonl");
    const recorded = await callRetinue(made.project, ["run", "--record", tape, "find it out"]);
    expect(recorded).toMatchObject({ code: 0, stdout: "It was stopped.\n" });
    const asked = made.server.requests.length;
    const replayed = await callRetinue(made.project, ["run", "--replay", tape, "find it out"]);
    expect(replayed).toMatchObject({ code: 0, stdout: "It was stopped.\n" });
    expect(made.server.requests).toHaveLength(asked);
  } finally {
    waits.resolve();
    await made.remove();
  }
});
