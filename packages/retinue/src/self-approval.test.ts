import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelRequest } from "@retinue/model/contract";
import type { ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { probeSandbox } from "@retinue/confine";
import { describe, expect, test } from "vitest";
import { createRetinue } from "./create-retinue.ts";

const machine = await probeSandbox();
const COMMAND = fileURLToPath(new URL("../bin/retinue.mjs", import.meta.url));

/** Both may use a shell, and reach one host that is not this machine. */
const agent = (name: string, delegates: readonly string[]): AgentDefinition => ({
  ...agentFrontMatterSchema.parse({
    name,
    description: `Is ${name}.`,
    tools: ["shell"],
    hosts: ["example.com"],
    grant: "session",
  }),
  delegates: [...delegates],
  prompt: `You are ${name}.`,
});

describe("a model that wants to answer its own question from its shell", () => {
  test("G11 finds neither our record, nor our sessions by our command, nor a key or a token, nor a port of this machine", async () => {
    const base = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-self-approval-")));
    const [workspace, home] = [path.join(base, "workspace"), path.join(base, "home")];
    await mkdir(workspace);
    await mkdir(home);
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const PROBE = [
      `: probe`,
      `ls -A ${home}/.retinue 2>/dev/null | sed s/^/record:/`,
      `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo port:open`,
      `env | grep -iE '^RETINUE_|TOKEN|_KEY=' | grep -v ^RETINUE_COMMAND= | sed s/^/env:/`,
      `env -u RETINUE_COMMAND RETINUE_HOME=${home}/.retinue ${process.execPath} ${COMMAND} sessions list --json 2>&1 | sed s/^/sessions:/`,
      "echo probed",
    ].join("\n");
    const wanted = Promise.withResolvers<void>();
    const script = ({ system, messages }: ModelRequest, answered: number): ScriptedTurn => {
      if (system.includes("You are waiter."))
        return { toolCalls: [{ tool: "shell", input: { command: "touch harm" }, callId: "harm" }] };
      if (answered === 0)
        return {
          toolCalls: [{ tool: "delegate_to_agent", input: { agent: "waiter", task: "wait", background: true }, callId: "wait" }],
        };
      if (answered === 1)
        return { before: wanted.promise, toolCalls: [{ tool: "shell", input: { command: PROBE }, callId: "probe" }] };
      const said =
        messages
          .at(-1)
          ?.content.map((part) => (part.type === "text" ? part.text : ""))
          .join("") ?? "";
      probed.resolve(said);
      return { text: "Done." };
    };
    const probed = Promise.withResolvers<string>();
    const retinue = await createRetinue({
      workspace,
      env: { PATH: process.env["PATH"], HOME: home, RETINUE_HOME: path.join(home, ".retinue"), RETINUE_APPROVE: "ask" },
      agents: [agent("prober", ["waiter"]), agent("waiter", [])],
      model: createScriptedModel(script),
      // The human allows the probe and never answers the other question.
      approver: ({ act }) => {
        // Without a sandbox nothing would keep the command from it, which is said and not allowed.
        if (act.unsandboxed !== undefined && act.callId === "probe")
          return Promise.resolve({ allowed: false, reason: "not without a sandbox" });
        if (JSON.stringify(act.input).includes("probe")) return Promise.resolve({ allowed: true });
        wanted.resolve();
        return new Promise(() => undefined);
      },
    });
    try {
      const run = await retinue.run("go", { agent: "prober" });
      const said = await probed.promise;
      if (machine.backend === "none") expect(said).toContain("not without a sandbox");
      else {
        expect(said).toContain("probed");
        expect(said).not.toMatch(/^(?:record|port|env):./m);
        expect(said).not.toContain(run.sessionId);
      }
      expect(connections).toBe(0);
      expect((await retinue.live.approvals(run.sessionId)).map(({ act }) => act.callId)).toEqual(["harm"]);
      await expect(readFile(path.join(workspace, "harm"))).rejects.toMatchObject({ code: "ENOENT" });
      run.cancel();
      await run.result;
    } finally {
      await retinue.close();
      server.close();
      await rm(base, { recursive: true, force: true });
    }
  });
});
