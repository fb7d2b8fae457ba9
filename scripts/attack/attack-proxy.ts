/** A trial against the browser's proxy, as another program of the machine sees it: on a port of the loopback. No browser is needed for it. */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { openPageNetwork } from "../../packages/tools/src/browser/page-network.ts";
import { servePages } from "../../packages/tools/src/testing/page-server.ts";
import type { Finding } from "./finding.ts";
import type { TrialPlan } from "./plan-trial.ts";
import type { TrialOptions } from "./run-trial.ts";

type Asked = { readonly first: string; readonly to: string; readonly header: string; readonly credentials: string };

const ANSWER_MS = 5_000;
const LET_IN = /^HTTP\/1\.1 2/;

/** The site is one that pages may reach; everything else on this machine is none. */
export const attackProxy = async ({ calls }: TrialPlan, { listeners, onAnswer }: TrialOptions): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  await using site = await servePages({ "/": "<title>Site</title>", "/x": "" });
  const network = await openPageNetwork({ allowHosts: () => [site.host], hosts: () => [["*"]], onRefused: () => undefined });
  const { server, password } = network.proxy;
  const names = {
    "@PASSWORD@": password,
    "@HALF@": password.slice(0, 32),
    "@SITE@": site.host,
    "@PORT@": String(listeners.port),
  };
  try {
    for (const [at, { input }] of calls.entries()) {
      let text = JSON.stringify(input);
      for (const [name, value] of Object.entries(names)) text = text.replaceAll(name, value);
      // It is what the grammar has drawn.
      const asked = JSON.parse(text) as Asked;
      const answer = await ask(Number(new URL(server).port), asked);
      onAnswer?.(`${asked.first} ${asked.credentials} ${answer}`);
      const what = `${asked.first} by ${asked.header} was answered ${answer}`;
      if (LET_IN.test(answer)) findings.push({ kind: "let-in", what, afterCalls: at });
      for (const heard of listeners.heard()) findings.push({ kind: "reached", what: heard, afterCalls: at });
      if (findings.length > 0) break;
    }
  } finally {
    await network.close();
  }
  return findings;
};

/** The first line of the answer; empty where there is none in time. */
const ask = async (port: number, { first, to, header, credentials }: Asked): Promise<string> => {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  const shown = credentials === "" ? "" : `${header} ${Buffer.from(credentials).toString("base64")}\r\n`;
  socket.write(`${first}\r\nhost: ${to}\r\n${shown}content-length: 0\r\n\r\n`);
  const answered = once(socket, "data").then(([chunk]) => String(chunk).split("\r\n")[0] ?? "");
  const answer = await Promise.race([answered.catch(() => ""), sleep(ANSWER_MS, "", { ref: false })]);
  socket.destroy();
  return answer;
};
