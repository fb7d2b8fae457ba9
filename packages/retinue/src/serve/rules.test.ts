/** A yes that is kept as a rule, through the server: what it covers is said before, it settles what waits, and it is the person's alone to keep and take away. */
import type { ScriptedTurn } from "@retinue/model/testing";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { serveProject, type ServedProject } from "./testing/serve-project.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const LONG = { timeout: 20_000, interval: 20 };

const write = (file: string): ScriptedTurn => ({ toolCalls: [{ tool: "write", input: { path: file, content: "x\n" } }] });

const open = async (files: readonly string[]): Promise<ServedProject> => {
  const project = await serveProject({
    script: ({ messages }) => {
      const task = JSON.stringify(messages[0]?.content);
      const file = files.find((one) => task.includes(one)) ?? "";
      return messages.some(({ role }) => role === "tool") ? { text: "Written." } : write(file);
    },
  });
  cleanups.push(project.close);
  return project;
};

const begin = async ({ client, workspaceId }: ServedProject, text: string): Promise<`ses_${string}`> =>
  (await client.startSession({ body: { workspaceId, text } })).sessionId;

const askedBy = ({ client }: ServedProject, sessionId: `ses_${string}`) =>
  vi.waitFor(async () => {
    const [one] = (await client.listApprovals({ query: { sessionId } })).approvals;
    if (!one) throw new Error("nothing is asked yet");
    return one;
  }, LONG);

const settled = ({ client }: ServedProject, sessionId: `ses_${string}`) =>
  vi.waitFor(async () => expect((await client.getSession({ params: { sessionId } })).status).toBe("completed"), LONG);

test("a rule is kept in the words it was shown in, answers what waits and what comes, and asks again once it is taken away", async () => {
  const project = await open(["src/one.ts", "src/two.ts", "src/deep/three.ts", "docs/four.md", "src/five.ts"]);
  const { client, workspaceId } = project;
  const [first, second, outside] = [
    await begin(project, "write src/one.ts"),
    await begin(project, "write src/two.ts"),
    await begin(project, "write docs/four.md"),
  ];
  const asked = await askedBy(project, first);
  await askedBy(project, second);
  await askedBy(project, outside);
  const { approvalId, hash } = asked;
  const { rule } = await client.getApproval({ params: { approvalId } });
  expect(rule).toBe("write in src/**");
  await expect(
    client.answerApproval({ params: { approvalId }, body: { allowed: true, hash, rule: "write in **" } }),
  ).rejects.toMatchObject({ code: "request_invalid" });
  expect((await client.listRules({ params: { workspaceId } })).rules).toEqual([]);

  await client.answerApproval({ params: { approvalId }, body: { allowed: true, hash, rule: rule ?? "" } });
  await settled(project, first);
  await settled(project, second);
  await settled(project, await begin(project, "write src/deep/three.ts"));
  const { events } = await client.listEvents({ params: { sessionId: second }, query: {} });
  expect(events.find(({ type }) => type === "approval.answered")).toMatchObject({ allowed: true, source: { via: "rule" } });
  expect((await client.listApprovals()).approvals.map(({ sessionId }) => sessionId)).toEqual([outside]);

  const { rules, file } = await client.listRules({ params: { workspaceId } });
  expect(rules).toEqual([{ ruleId: expect.any(String) as string, text: "write in src/**" }]);
  expect(file).toBe(path.join(project.home, "approval-rules.json"));
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    [project.folder]: [{ type: "folder", tool: "write", folder: "src" }],
  });
  await client.deleteRule({ params: { workspaceId, ruleId: rules[0]?.ruleId ?? "" } });
  await askedBy(project, await begin(project, "write src/five.ts"));
});

test("no rule is offered for what a rule could not bound", async () => {
  const project = await open(["top.txt"]);
  const { approvalId, hash } = await askedBy(project, await begin(project, "write top.txt"));
  expect((await project.client.getApproval({ params: { approvalId } })).rule).toBeNull();
  await expect(
    project.client.answerApproval({ params: { approvalId }, body: { allowed: true, hash, rule: "write in **" } }),
  ).rejects.toMatchObject({ code: "request_invalid" });
});
