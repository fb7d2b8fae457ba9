import { createScriptedModel } from "@retinue/model/testing";
import { expect, test } from "vitest";
import { createProject } from "../cli/testing/spawn-retinue.ts";
import type { RetinueOptions } from "../create-retinue.ts";
import { createRetinue } from "../create-retinue.ts";
import { DEFAULT_SETTINGS } from "../settings/settings.ts";
import type { AskedUser } from "./ask-user-approver.ts";

const ASK = { tool: "ask_user", input: { question: "Which port?", options: ["80", "8080"] }, callId: "asks" };
const WRITE = { tool: "write", input: { path: "a.txt", content: "a" }, callId: "writes" };

/** What the two calls of a run are answered with. */
const answersOf = async (options: Pick<RetinueOptions, "askUser" | "approver">): Promise<readonly string[]> => {
  const project = await createProject();
  const retinue = await createRetinue({
    workspace: project.workspace,
    env: { RETINUE_HOME: project.home },
    settings: { ...DEFAULT_SETTINGS, approve: "ask" },
    model: createScriptedModel([{ toolCalls: [ASK, WRITE] }, { text: "Done." }]),
    ...options,
  });
  try {
    const run = await retinue.run("go");
    await run.result;
    return (await retinue.events(run.sessionId)).flatMap((event) =>
      event.type === "tool.settled" ? event.content.map((part) => (part.type === "text" ? part.text : part.type)) : [],
    );
  } finally {
    await retinue.close();
    await project.remove();
  }
};

test("code that embeds Retinue answers what agents ask the user, and gives no approval by it", async () => {
  const asked: AskedUser[] = [];
  const answers = await answersOf({
    askUser: async (question) => {
      asked.push(question);
      return "8080";
    },
  });
  expect(asked).toMatchObject([{ question: "Which port?", options: ["80", "8080"], callId: "asks", run: { agent: "main" } }]);
  expect(answers).toEqual([
    "The user answered: 8080",
    expect.stringContaining('"write" was denied: Nobody is there to give an approval.'),
  ]);
});

test("an approver that says yes to everything has not answered a question", async () => {
  const answers = await answersOf({ approver: async () => ({ allowed: true }) });
  expect(answers).toEqual([expect.stringContaining("The user did not answer."), expect.not.stringContaining("denied")]);
});

test("where nobody is there an agent is told so at once", async () => {
  expect((await answersOf({}))[0]).toContain("Nobody is there to answer. Decide yourself");
});
