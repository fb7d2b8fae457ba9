/**
 * The same ten-step case by one agent and by an orchestrator with sub-agents: the one context overflows, no sub-agent's does, and the bill is a fraction. What the
 * commands print is real, and so are the tokens that are counted from what was sent.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MockReply, MockRequest } from "@retinue/model/testing";
import type { RecordedEvent } from "@retinue/protocol";
import { expect, test } from "vitest";
import { openRecord } from "../../open-record.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject } from "../testing/mock-project.ts";
import { toEnvironment } from "../testing/spawn-retinue.ts";

const STEPS = Array.from({ length: 10 }, (_, at) => at + 1);

/** Each step looks at much: a log of the service, as testers do. */
const CASE = [
  "title: Ten services answer",
  "steps:",
  ...STEPS.flatMap((number) => [
    `  - action: Look at the log of service ${number}`,
    `    expected: The log says "service ${number} is up"`,
  ]),
].join("\n");

const logOf = (number: number): string =>
  [
    ...Array.from(
      { length: 220 },
      (_, at) => `10:00:${at} service ${number} handled request ${at} in ${at % 90} ms for client ${at * 7}`,
    ),
    `service ${number} is up`,
  ].join("\n");

type Message = { readonly role: string; readonly content: unknown };

const reply = ({ body }: MockRequest): MockReply => {
  const { messages } = body as { readonly messages: readonly Message[] };
  const text = (message: Message | undefined): string => JSON.stringify(message?.content ?? "");
  const task = text(messages.find(({ role }) => role === "user"));
  const looked = messages.filter(({ role }) => role === "tool").length;
  if (task.includes("MODE 1: PLAN."))
    return {
      text: JSON.stringify({
        sub_tasks: STEPS.map((step) => ({
          step,
          description: `Look at the log of service ${step}`,
          expected_result: "it is up",
        })),
      }),
    };
  if (task.includes("MODE 3: VERDICT.")) return { text: JSON.stringify({ status: "pass", summary: "All are up." }) };
  const [, own] = /YOUR TASK:\\nLook at the log of service (\d+)/.exec(task) ?? [];
  const last = text(messages.at(-1));
  const known = own === undefined ? Number(/service (\d+) is up/.exec(last)?.[1] ?? looked) : 0;
  const next = own === undefined ? known + 1 : Number(own);
  const isDone = own === undefined ? known >= STEPS.length : looked > 0;
  return isDone
    ? { text: `RESULT: PASS\nSUMMARY: Service ${own ?? "1 to 10"} is up.` }
    : { toolCalls: [call("shell", { command: `cat service-${next}.log` })] };
};

test(
  "S0: one agent overflows 32k on ten steps; sub-agents stay below 8k, and cost at most a third in all",
  { timeout: 180_000 },
  async () => {
    const { project, remove } = await createMockProject(reply, "allowUnsandboxed: true\n");
    try {
      await writeFile(join(project.workspace, "case.yaml"), CASE);
      for (const number of STEPS) await writeFile(join(project.workspace, `service-${number}.log`), logOf(number));
      const ended = await callRetinue(project, ["test", "case.yaml", "--compare-flat"]);
      expect(ended.code, ended.stderr + ended.stdout).toBe(0);
      const figure = (name: string): readonly number[] =>
        (new RegExp(String.raw`^ +${name} +(\d+) +(\d+)$`, "m").exec(ended.stdout) ?? []).slice(1).map(Number);
      const [flatTotal = 0, total = 0] = figure("total tokens");
      const [flatPeak = 0, peak = 0] = figure("peak context");
      expect(flatTotal, ended.stdout).toBeGreaterThan(0);
      expect(peak, ended.stdout).toBeLessThanOrEqual(8_000);
      expect(flatPeak, ended.stdout).toBeGreaterThan(24_000);
      expect(total * 3, ended.stdout).toBeLessThanOrEqual(flatTotal);
      const flat = await readFlat(project);
      expect(flat.map(({ type }) => type)).toContain("context.fitted");
    } finally {
      await remove();
    }
  },
);

/** What was recorded of the agent that did all of it. */
const readFlat = async ({
  workspace,
  home,
}: {
  readonly workspace: string;
  readonly home: string;
}): Promise<readonly RecordedEvent[]> => {
  const env = toEnvironment(home);
  const { settings } = await loadSettings({ workspace, env });
  const store = await openRecord({ settings, env, workspace });
  try {
    const { items } = await store.readSide.listSessions();
    for (const { sessionId } of items) {
      const events = await store.read(sessionId);
      if (events[0]?.agent === "qa-flat") return events;
    }
    return [];
  } finally {
    await store.close();
  }
};
