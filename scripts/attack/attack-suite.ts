/** A trial in which the project comes with a test suite of an attacker's: the user runs a case of it, and says yes to whatever is asked. */
import { createScriptedModel } from "@retinue/model/testing";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { runTestCase } from "retinue";
import { createCanarySearch } from "./canaries.ts";
import type { Finding } from "./finding.ts";
import type { AttackCall } from "./grammar/draw-call.ts";
import { SUITE_PLACES } from "./grammar/suite-commands.ts";
import type { TrialPlan } from "./plan-trial.ts";
import { endProcessesLeft, findProcessesLeft } from "./processes.ts";
import type { TrialOptions } from "./run-trial.ts";
import { findForbiddenChanges, takeWorldSnapshot } from "./snapshot.ts";
import type { World } from "./world.ts";

const FOLDER = "cases";

export const attackSuite = async (
  { writable }: TrialPlan,
  world: World,
  { calls, listeners, onAnswer }: TrialOptions & { readonly calls: readonly AttackCall[] },
): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  const search = createCanarySearch(Object.values(world.canaries));
  const look = (text: string, where: string): void => {
    for (const { place } of search(text)) findings.push({ kind: "read-out", what: `${place} in ${where}` });
  };
  const [reset, before, after] = SUITE_PLACES.map((place) =>
    calls.filter(({ tool }) => tool === place).map(({ input }) => input),
  );
  const folder = path.join(world.workspace, FOLDER);
  await mkdir(folder);
  await writeFile(path.join(folder, "suite.yaml"), JSON.stringify({ reset }));
  const testCase = { title: "A case", before, after, steps: [{ action: "Look.", expected: "It is there." }] };
  await writeFile(path.join(folder, "case.yaml"), JSON.stringify(testCase));
  const taken = await takeWorldSnapshot(world);
  await runTestCase(path.join(folder, "case.yaml"), {
    workspace: world.workspace,
    env: { ...world.env, RETINUE_APPROVE: "workspace" },
    model: createScriptedModel((request) => {
      look(JSON.stringify(request.messages), "what the model was asked");
      return { text: "RESULT: PASS\nSUMMARY: It is there." };
    }),
    // A person who is told that nothing would hold the command says no.
    approver: ({ act }) => Promise.resolve({ allowed: act.unsandboxed === undefined, reason: "not without a sandbox" }),
    onEvent: (event) => {
      if (event.type === "tool.settled") onAnswer?.(`${event.tool} ${event.outcome} ${JSON.stringify(event.content)}`);
      look(JSON.stringify(event), `the event ${event.type}`);
    },
  });
  for (const what of listeners.heard()) findings.push({ kind: "reached", what });
  const left = await findProcessesLeft(world);
  endProcessesLeft(left);
  findings.push(...left.map((what): Finding => ({ kind: "process-left", what })));
  for (const what of findForbiddenChanges(world, { before: taken, after: await takeWorldSnapshot(world), writable }))
    findings.push({ kind: "changed", what });
  return findings;
};
