import type { MockReply, MockRequest } from "@retinue/model/testing";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject, type MockProject } from "../testing/mock-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const PLAN = {
  steps: [
    {
      id: "write",
      description: "write greeting.txt that says hello",
      expectedResult: "greeting.txt says hello",
      type: "implementation",
    },
    { id: "look", description: "review greeting.txt", expectedResult: "it says hello", type: "review", dependsOn: ["write"] },
  ],
};

const MARKDOWN = `# greet

- [ ] **write**: write greeting.txt that says hello
  - expected: greeting.txt says hello
  - agent: executor
  - type: implementation

- [ ] **look**: review greeting.txt
  - expected: it says hello
  - agent: reviewer
  - type: review
  - depends on: write`;

type Said = { readonly review?: readonly string[] };

/** Plays planner, executor, reviewer and orchestrator; `review` is what the reviewer says, time after time. */
const createPlanner = async ({ review = ["RESULT: PASS\nSUMMARY: It says hello."] }: Said = {}): Promise<MockProject> => {
  let reviews = 0;
  const reply = ({ text, body }: MockRequest): MockReply => {
    const { messages } = body as { readonly messages: readonly { readonly role: string }[] };
    const hasActed = messages.some(({ role }) => role === "tool");
    if (text.includes("Make a plan for this goal")) return { text: JSON.stringify(PLAN) };
    if (text.includes(String.raw`MODE 3: VERDICT.\n\nGOAL`))
      return { text: JSON.stringify({ status: "pass", summary: "The greeting is there." }) };
    if (text.includes(String.raw`MODE 2: EVALUATE.\n\nGOAL`))
      return {
        text: JSON.stringify({
          decision: "recover",
          reason: "the review found a fault",
          recovery_task: { description: "mend greeting.txt", expected_result: "it says hello" },
        }),
      };
    if (text.includes(String.raw`YOUR TASK:\nreview`))
      return { text: review[reviews++] ?? "RESULT: FAIL\nSUMMARY: asked too often" };
    if (!hasActed)
      return { toolCalls: [call("write", { path: reviews === 0 ? "greeting.txt" : "mark.txt", content: "hello\n" })] };
    return { text: "RESULT: PASS\nSUMMARY: Wrote what was asked for." };
  };
  const made = await createMockProject(reply);
  cleanups.push(made.remove);
  return made;
};

test("a plan is made for a goal, shown, and carried out from the record", async () => {
  const { project } = await createPlanner();
  const made = await callRetinue(project, ["plan", "greet"]);
  expect(made).toMatchObject({ code: 0, stdout: `${MARKDOWN}\n` });
  expect(made.stderr).toMatch(/retinue plan run ses_\w+ carries it out/);

  const shown = await callRetinue(project, ["plan", "show", "latest"]);
  expect(shown).toMatchObject({ code: 0, stdout: `${MARKDOWN}\n` });

  const ran = await callRetinue(project, ["plan", "run", "latest", "--approve", "workspace"]);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout).toContain("- [x] **write**");
  expect(ran.stdout).toContain("- [x] **look**");
  expect(ran.stdout).toContain("PASSED: The greeting is there.");
  expect(ran.stderr).toContain("step write is completed: Wrote what was asked for.");
  expect(await readFile(join(project.workspace, "greeting.txt"), "utf8")).toBe("hello\n");
  expect((await callRetinue(project, ["plan", "show", "latest"])).stdout).toContain("- [x] **look**");
});

test("what a review found is mended, and reviewed again", async () => {
  const { project } = await createPlanner({
    review: ["RESULT: FAIL\nSUMMARY: It lacks a mark.", "RESULT: PASS\nSUMMARY: Now it has one."],
  });
  const ran = await callRetinue(project, ["plan", "greet", "--execute", "--approve", "workspace"]);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).toContain("step look failed, decides to recover: the review found a fault");
  expect(await readFile(join(project.workspace, "mark.txt"), "utf8")).toBe("hello\n");
});

test("a plan that fails ends with 1 and says at which step", async () => {
  const { project } = await createPlanner({
    review: ["RESULT: FAIL\nSUMMARY: It lacks a mark.", "RESULT: FAIL\nSUMMARY: Still none."],
  });
  const ran = await callRetinue(project, ["plan", "greet", "--execute", "--approve", "workspace"]);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain("- [!] **look**");
  expect(ran.stdout).toMatch(/^FAILED: .*Step look is failed: Still none\./m);
});

test("a plan from a file is carried out, and one that is wrong is told with its line", async () => {
  const { project } = await createPlanner();
  const file = join(project.workspace, "greet.plan.md");
  await writeFile(file, MARKDOWN.replace("depends on: write", "depends on: wrote"));
  const wrong = await callRetinue(project, ["plan", "run", file, "--approve", "workspace"]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('step "look" depends on "wrote", which is no step');
  await writeFile(file, MARKDOWN.replace("- expected: it says hello", "- hoped: it says hello"));
  expect(await callRetinue(project, ["plan", "show", file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Line 9: "hoped" is no field'),
  });
  await writeFile(file, MARKDOWN);
  expect((await callRetinue(project, ["plan", "run", file, "--approve", "workspace"])).code).toBe(0);
});

test("nobody there to approve the plan: nothing is begun, and it is said how", async () => {
  const { project, server } = await createPlanner();
  const ended = await callRetinue(project, ["plan", "greet", "--execute"]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain("--approve");
  expect(server.requests).toHaveLength(0);
});

test("the editor is opened on the plan, and what it wrote is checked", async () => {
  const { project } = await createPlanner();
  await callRetinue(project, ["plan", "greet"]);
  const edited = await callRetinue(project, ["plan", "edit", "latest"], {
    EDITOR: `node -e require("fs").appendFileSync(process.argv[1],"nonsense")`,
  });
  expect(edited.code).toBe(2);
  expect(edited.stderr).toContain('"nonsense" is neither the goal');
  const again = await callRetinue(project, ["plan", "edit", join(project.workspace, "greet.plan.md")]);
  expect(again.code).toBe(2);
});

test("the bytes that the orchestrator is asked with hold no tool, and nothing that a tool gave out", async () => {
  const RAW = "raw-words-of-a-tool-4711";
  const isOrchestrator = (text: string): boolean => /MODE [234]: [A-Z]+\.\\n\\nGOAL/.test(text);
  const { project, server, remove } = await createMockProject(({ text, body }) => {
    const { messages } = body as { readonly messages: readonly { readonly role: string }[] };
    if (text.includes(String.raw`MODE 3: VERDICT.\n\nGOAL`)) return { text: JSON.stringify({ status: "pass", summary: "seen" }) };
    if (isOrchestrator(text)) return { text: JSON.stringify({ decision: "continue", reason: "not what this is about" }) };
    if (!messages.some(({ role }) => role === "tool")) return { toolCalls: [call("read", { path: "raw.txt" })] };
    return { text: `RESULT: ${text.includes(String.raw`YOUR TASK:\nreview`) ? "FAIL" : "PASS"}\nSUMMARY: It was read.` };
  });
  cleanups.push(remove);
  await writeFile(join(project.workspace, "raw.txt"), RAW);
  await writeFile(join(project.workspace, "greet.plan.md"), MARKDOWN);
  await callRetinue(project, ["plan", "run", join(project.workspace, "greet.plan.md"), "--approve", "workspace"]);
  const asked = server.requests.filter(({ text }) => isOrchestrator(text));
  expect(asked.length).toBeGreaterThanOrEqual(2);
  for (const { text } of asked) {
    expect(text).not.toContain('"tools"');
    expect(text).not.toContain('"function"');
    expect(text).not.toContain(RAW);
  }
  expect(server.requests.some(({ text }) => text.includes(RAW) && text.includes('"tools"'))).toBe(true);
});

test("the variables of its design reach a plan: how many steps it may have, and who decides", async () => {
  const { project, server } = await createPlanner();
  const file = join(project.workspace, "greet.plan.md");
  await writeFile(file, MARKDOWN);
  const run = (env: Readonly<Record<string, string>>) =>
    callRetinue(project, ["plan", "run", file, "--approve", "workspace"], env);
  expect(await run({ ORCHESTRATOR_MAX_SUBTASKS: "1" })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("it has 2 steps, and 1 is the most"),
  });
  expect((await run({ ORCHESTRATOR_MAX_TOKENS: "1234" })).code).toBe(0);
  const verdict = server.requests.find(({ text }) => text.includes("MODE 3: VERDICT."));
  expect(verdict?.body).toMatchObject({ max_tokens: 1_234, temperature: 0.1 });
});
