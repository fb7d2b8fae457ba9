/**
 * `npm run bench:qa`: 20 test cases one after the other and by 4 workers, with a model that takes 200 ms for every answer, and how much longer `retinue test` takes to its first browser
 * action than a bare launch by Playwright. Everything but the model is real. Ends with 1 where 4 workers are not at least 3 times as fast, or the start takes 2 s more.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Script } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import { loadCases } from "@retinue/qa";
import { measureStart } from "./qa-start.ts";
import { createRetinue } from "../packages/retinue/src/create-retinue.ts";
import { createQaPorts } from "../packages/retinue/src/qa/create-qa-ports.ts";
import { createQaAgents } from "../packages/retinue/src/qa/qa-agents.ts";
import { runTests } from "../packages/retinue/src/qa/run-tests.ts";

const CASES = 20;
const WORKERS = 4;
const LATENCY_MS = 200;
const LEAST_RATIO = 3;
const ROUNDS = 5;
const MOST_OVER_MS = 2_000;

const before = (): Promise<unknown> => sleep(LATENCY_MS);

const script: Script = ({ messages }, answered) => {
  const task = JSON.stringify(messages[0]?.content ?? "");
  if (task.includes("MODE 1: PLAN."))
    return { before, text: JSON.stringify({ sub_tasks: [{ step: 1, description: "Look", expected_result: "seen" }] }) };
  if (task.includes("MODE 3: VERDICT.")) return { before, text: JSON.stringify({ status: "pass", summary: "Seen." }) };
  return answered === 0
    ? { before, toolCalls: [{ tool: "read", input: { path: "hello.txt" } }] }
    : { before, text: "RESULT: PASS\nSUMMARY: It says hello." };
};

const folder = mkdtempSync(path.join(tmpdir(), "retinue-bench-qa-"));
try {
  const workspace = path.join(folder, "project");
  mkdirSync(workspace);
  writeFileSync(path.join(workspace, "hello.txt"), "hello\n");
  for (let number = 1; number <= CASES; number += 1)
    writeFileSync(
      path.join(workspace, `case-${number}.yaml`),
      `title: Case ${number}\nsteps:\n  - action: Look at hello.txt\n    expected: It says "hello"\n`,
    );
  const { cases } = await loadCases({ paths: ["."], from: workspace });
  const env = { ...process.env, RETINUE_HOME: path.join(folder, "home") };
  const measure = async (workers: number): Promise<number> => {
    const retinue = await createRetinue({ workspace, env, model: createScriptedModel(script), agents: createQaAgents() });
    const from = performance.now();
    const { cases: results } = await runTests({
      cases,
      ports: createQaPorts({ workspace: retinue }),
      workers,
      retries: 0,
      signal: new AbortController().signal,
      model: retinue.model,
      environment: null,
      startApp: () => Promise.reject(new Error("there is none")),
    });
    const took = performance.now() - from;
    await retinue.close();
    const bad = results.find(({ verdict }) => verdict !== "pass");
    if (bad || results.length !== CASES) throw new Error(`Not every case passed: ${bad?.reason ?? "some are missing"}`);
    return took;
  };
  const one = await measure(1);
  const several = await measure(WORKERS);
  const ratio = one / several;
  console.log(`${CASES} cases at ${LATENCY_MS} ms a model call: ${(one / 1000).toFixed(1)} s one after the other`);
  console.log(
    `${WORKERS} workers: ${(several / 1000).toFixed(1)} s, ${ratio.toFixed(2)} times as fast (at least ${LEAST_RATIO})`,
  );
  const { retinue, playwright } = await measureStart(folder, ROUNDS);
  const over = retinue.ms - playwright.ms;
  console.log(
    `first browser action: ${Math.round(retinue.ms)} ms after the start of retinue test, ${Math.round(playwright.ms)} ms by Playwright's own launch: ${Math.round(over)} ms over it (at most ${MOST_OVER_MS})`,
  );
  console.log(`  computed by the process itself until then: ${retinue.cpuMs} ms against ${playwright.cpuMs} ms`);
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1) ?? ""} on ${availableParallelism()} cores`);
  process.exitCode = ratio >= LEAST_RATIO && over <= MOST_OVER_MS ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
