/** A trial against the server of the user, while a question waits there: requests that lack something are sent to it, and none may be let in. */
import { createClient } from "@retinue/client";
import { createScriptedModel } from "@retinue/model/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { openServer } from "retinue";
import { rawRequest } from "../../packages/retinue/src/serve/testing/raw-request.ts";
import { createCanarySearch } from "./canaries.ts";
import type { Finding } from "./finding.ts";
import type { TrialPlan } from "./plan-trial.ts";
import type { TrialOptions } from "./run-trial.ts";
import { findForbiddenChanges, takeWorldSnapshot } from "./snapshot.ts";
import type { World } from "./world.ts";

type Request = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

const WAITS_MS = 20_000;
const REFUSED = 400;

export const attackServer = async (plan: TrialPlan, world: World, { onAnswer }: TrialOptions): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  const search = createCanarySearch(Object.values(world.canaries));
  const before = await takeWorldSnapshot(world);
  const model = createScriptedModel(({ messages }) =>
    messages.some(({ role }) => role === "tool")
      ? { text: "Done." }
      : { toolCalls: [{ tool: "shell", input: { command: "touch answered" } }] },
  );
  const server = await openServer({ folders: [world.workspace], env: { ...world.env, RETINUE_APPROVE: "ask" }, model, port: 0 });
  try {
    const client = createClient({ url: server.url, token: server.token });
    const workspaceId = server.workspaces[0]?.workspaceId ?? "wsp_";
    const { sessionId } = await client.startSession({ body: { workspaceId, text: "Wait." } });
    const waiting = async () => (await client.listApprovals()).approvals;
    const deadline = performance.now() + WAITS_MS;
    while ((await waiting()).length === 0 && performance.now() < deadline) await sleep(20);
    const [question] = await waiting();
    const names: Readonly<Record<string, string>> = {
      "@SERVER@": String(server.port),
      "@TOKEN_OF_SERVER@": server.token,
      "@SESSION@": sessionId,
      "@APPROVAL@": question?.approvalId ?? "apr_x",
      "@RUN@": question?.runId ?? "run_x",
      "@WORKSPACE_ID@": workspaceId,
      "@HOME@": world.home,
    };
    for (const [at, { input }] of plan.calls.entries()) {
      let text = JSON.stringify(input);
      for (const [name, value] of Object.entries(names)) text = text.replaceAll(name, value);
      // It is what the grammar has drawn.
      const request = JSON.parse(text) as Request;
      const answer = await rawRequest({ port: server.port, ...request });
      onAnswer?.(`${request.method} ${request.path} ${answer.status}`);
      const what = `${request.method} ${request.path} was answered ${answer.status}`;
      if (answer.status < REFUSED) findings.push({ kind: "let-in", what, afterCalls: at });
      for (const { place } of search(answer.text))
        findings.push({ kind: "read-out", what: `${place} in an answer`, afterCalls: at });
      if (findings.length > 0) break;
    }
    if (findings.length === 0 && (await waiting()).length !== 1)
      findings.push({ kind: "allowed-itself", what: "the question that waited is gone" });
  } finally {
    await server.close();
  }
  const after = await takeWorldSnapshot(world);
  for (const what of findForbiddenChanges(world, { before, after, writable: plan.writable }))
    findings.push({ kind: "changed", what });
  return findings;
};
