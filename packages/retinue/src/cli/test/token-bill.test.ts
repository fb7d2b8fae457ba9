/**
 * The same ten-step case by one agent and by an orchestrator with sub-agents: the one context overflows, no sub-agent's does, and the bill is a fraction. What is
 * looked at is real, and so are the tokens that are counted from what was sent.
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
/** A tester looks at several things in a step; here at five logs of a service. */
const LOOKS = 5;
const nameOf = (look: number): string => `log-${look}.txt`;

const CASE = [
  "title: Ten services answer",
  "steps:",
  ...STEPS.flatMap((number) => [
    `  - action: Look at the logs of service ${number}`,
    `    expected: The last log says "log ${number * LOOKS} is whole"`,
  ]),
].join("\n");

const logOf = (look: number): string =>
  [
    ...Array.from({ length: 40 }, (_, at) => `10:00:${at} log ${look} request ${at} took ${at % 90} ms for client ${at * 7}`),
    `log ${look} is whole`,
  ].join("\n");

type Message = { readonly role: string; readonly content: unknown };

const textOf = (message: Message | undefined): string =>
  typeof message?.content === "string" ? message.content : JSON.stringify(message?.content ?? "");

const reply = ({ body }: MockRequest): MockReply => {
  const { messages } = body as { readonly messages: readonly Message[] };
  const task = textOf(messages.find(({ role }) => role === "user"));
  if (task.includes("MODE 1: PLAN."))
    return {
      text: JSON.stringify({
        sub_tasks: STEPS.map((step) => ({ step, description: `Look at the logs of service ${step}`, expected_result: "whole" })),
      }),
    };
  if (task.includes("MODE 3: VERDICT.")) return { text: JSON.stringify({ status: "pass", summary: "All are up." }) };
  const [, own] = /YOUR TASK:\s+Look at the logs of service (\d+)/.exec(task) ?? [];
  const known = Number(/log (\d+) is whole/.exec(textOf(messages.findLast(({ role }) => role === "tool")))?.[1] ?? 0);
  const [from, to] = own === undefined ? [0, STEPS.length * LOOKS] : [(Number(own) - 1) * LOOKS, Number(own) * LOOKS];
  return known >= to
    ? { text: `RESULT: PASS\nSUMMARY: The logs are whole up to ${known}.` }
    : { toolCalls: [call("read", { path: nameOf(Math.max(known, from) + 1) })] };
};

test(
  "S0 verification 7: one agent overflows 32k on ten steps; sub-agents stay below 8k, and cost at most a third in all",
  { timeout: 180_000 },
  async () => {
    const { project, remove } = await createMockProject(reply);
    try {
      await writeFile(join(project.workspace, "case.yaml"), CASE);
      for (let look = 1; look <= STEPS.length * LOOKS; look += 1)
        await writeFile(join(project.workspace, nameOf(look)), logOf(look));
      const ended = await callRetinue(project, ["test", "case.yaml", "--compare-flat"]);
      expect(ended.code, ended.stderr + ended.stdout).toBe(0);
      const figure = (name: string): readonly number[] =>
        (new RegExp(String.raw`^ +${name} +(\d+) +(\d+)$`, "m").exec(ended.stdout) ?? []).slice(1).map(Number);
      const [flatTotal = 0, total = 0] = figure("total tokens");
      const [flatPeak = 0, peak = 0] = figure("peak context");
      expect(flatPeak, ended.stdout).toBeGreaterThan(24_000);
      expect(peak, ended.stdout).toBeLessThanOrEqual(8_000);
      expect(total, ended.stdout).toBeGreaterThan(0);
      expect(total * 3, ended.stdout).toBeLessThanOrEqual(flatTotal);
      // What it had seen before had to go.
      expect((await readFlat(project)).map(({ type }) => type)).toContain("context.fitted");
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
