/** What a server of CI can tell from the XML alone: pass, flaky, healed, fail, inconclusive and blocked are six different things. */
import { NO_USAGE } from "@retinue/protocol";
import type { CaseResult } from "@retinue/protocol/test-case";
import { expect, test } from "vitest";
import { toJunit } from "./junit.ts";

const toCase = (title: string, more: Partial<CaseResult>): CaseResult => ({
  id: title,
  title,
  file: "tests/a.yaml",
  tags: [],
  verdict: "pass",
  reason: `because of <${title}> & "more"\u0007`,
  flaky: false,
  healed: false,
  attempt: 1,
  sessionId: null,
  steps: [],
  summary: "",
  durationMs: 1_500,
  iterations: 0,
  toolCalls: 0,
  usage: NO_USAGE,
  costUsd: 0,
  problems: [],
  ...more,
});

const CASES = [
  toCase("passes", {}),
  toCase("flaky", { flaky: true, attempt: 2 }),
  toCase("healed", { healed: true, healing: { saved: true, diff: ["- old", "+ new"] } }),
  toCase("fails", { verdict: "fail" }),
  toCase("unclear", { verdict: "inconclusive" }),
  toCase("blocked", { verdict: "blocked", problems: ["The clean-up failed."] }),
];

test("tells every verdict and mark apart, and lets nothing that did not pass look green", () => {
  const xml = toJunit({
    id: "test_1",
    startedAt: "2031-05-06T12:00:00.000Z",
    durationMs: 9_000,
    model: "offline/rules",
    environment: null,
    cases: CASES,
  });
  expect(xml).toContain('<testsuites name="retinue test" tests="6" failures="1" errors="2" time="9.000">');
  const told = xml.split("<testcase ").slice(1);
  const shapes = told.map((one) => ({
    name: / name="([^"]*)"/.exec(one)?.[1],
    properties: [...one.matchAll(/<property name="(verdict|flaky|healed)" value="([^"]*)"/g)].map(
      ([, name, value]) => `${name} ${value}`,
    ),
    outcome: /<(failure|error) type="(\w+)"/.exec(one)?.slice(1).join(" ") ?? "none",
  }));
  expect(shapes).toEqual([
    { name: "passes", properties: ["verdict pass"], outcome: "none" },
    { name: "flaky", properties: ["verdict pass", "flaky true"], outcome: "none" },
    { name: "healed", properties: ["verdict pass", "healed true"], outcome: "none" },
    { name: "fails", properties: ["verdict fail"], outcome: "failure fail" },
    { name: "unclear", properties: ["verdict inconclusive"], outcome: "error inconclusive" },
    { name: "blocked", properties: ["verdict blocked"], outcome: "error blocked" },
  ]);
  expect(new Set(shapes.map(({ properties, outcome }) => `${properties.join()} ${outcome}`)).size).toBe(6);
  expect(told[2]).toContain("- old\n+ new");
  expect(told[5]).toContain("The clean-up failed.");
  // What pages said is text, whatever is in it.
  expect(told[3]).toContain("because of &lt;fails&gt; &amp; &quot;more&quot;\uFFFD");
});
