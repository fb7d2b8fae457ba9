/** A secret of the workspace that a command is given by its name: told to whoever decides, used by the command, and written nowhere. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { probeSandbox } from "@retinue/confine";
import { createScriptedModel } from "@retinue/model/testing";
import type { ProposedAct } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { expect, test } from "vitest";
import { createRetinue } from "../create-retinue.ts";

const machine = await probeSandbox();
const VALUE = "tok_4f9a8c7be1d2036591ab";
const USERS_OWN = "key_91ab4f9a8c7be1d20365";

const say = async (
  command: string,
  approve: "all" | "workspace",
): Promise<{ said: string; acts: ProposedAct[]; stored: string }> => {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-filled-")));
  const [workspace, state] = [path.join(base, "workspace"), path.join(base, "state")];
  await mkdir(workspace);
  await writeFile(path.join(workspace, ".env"), `API_TOKEN="${VALUE}"\nPLAIN=word\n`);
  const acts: ProposedAct[] = [];
  const retinue = await createRetinue({
    workspace,
    env: { PATH: process.env["PATH"], HOME: base, RETINUE_HOME: state, RETINUE_APPROVE: approve, OWN_API_KEY: USERS_OWN },
    agents: [{ ...agentFrontMatterSchema.parse({ name: "caller", description: "Calls." }), delegates: [], prompt: "You call." }],
    model: createScriptedModel([{ toolCalls: [{ tool: "shell", input: { command } }] }, { text: "Done." }]),
    approver: ({ act }) => {
      acts.push(act);
      return Promise.resolve({ allowed: true });
    },
  });
  try {
    const run = await retinue.run("go", { agent: "caller" });
    await run.result;
    const events = await retinue.events(run.sessionId);
    const settled = events.find((event) => event.type === "tool.settled");
    const said = settled?.type === "tool.settled" ? JSON.stringify(settled.content) : "";
    await retinue.close();
    const stored = JSON.stringify(events) + (await readFile(path.join(state, "retinue.db"), "latin1"));
    return { said, acts, stored };
  } finally {
    await retinue.close();
    await rm(base, { recursive: true, force: true });
  }
};

test.each(["workspace", "all"] as const)(
  "a command is given a secret by its name once a human, asked in mode %s, has allowed it",
  async (approve) => {
    const { said, acts, stored } = await say("printf %s '{{secret:API_TOKEN}}' | sha256sum; echo {{secret:API_TOKEN}}", approve);
    expect(acts).toMatchObject([{ tool: "shell", secrets: ["API_TOKEN"] }]);
    expect(said).toContain(createHash("sha256").update(VALUE).digest("hex"));
    expect(said).toContain("[redacted:API_TOKEN]");
    expect(stored).toContain("{{secret:API_TOKEN}}");
    expect(stored).not.toContain(VALUE);
    expect(acts[0]?.unsandboxed === undefined).toBe(machine.backend === "bwrap");
  },
);

test("K6 a key of the user's own is no secret that a command can be given", async () => {
  const { said } = await say("echo {{secret:OWN_API_KEY}}", "all");
  expect(said).toContain("There is no secret OWN_API_KEY");
  expect(said).toContain("There are: API_TOKEN.");
});
