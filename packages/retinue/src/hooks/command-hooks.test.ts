import type { HookedCall } from "@retinue/runtime";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { probeSandbox } from "@retinue/confine";
import { createTestWorkspace } from "@retinue/confine/testing";
import { afterAll, describe, expect, test } from "vitest";
import { createCommandHooks } from "./command-hooks.ts";
import type { HookSettings } from "../settings/settings.ts";

const isConfined = (await probeSandbox()).backend !== "none";
const place = await createTestWorkspace();
const { workspace } = place;
afterAll(() => place[Symbol.asyncDispose]());

const call: HookedCall = {
  run: { sessionId: "ses_1", runId: "run_1", parentRunId: null, depth: 0, agent: "main" },
  callId: "c1",
  tool: "shell",
  effect: "execute",
  input: { command: "ls" },
  workspace,
};

const before = (command: string, more: Partial<HookSettings> = {}, env: NodeJS.ProcessEnv = process.env) =>
  createCommandHooks([{ on: "tool.before", command, ...more }], { workspace, env }).hooks?.before?.(
    call,
    new AbortController().signal,
  );

describe("hooks that are commands", () => {
  test("read the call as JSON and add what they print", async () => {
    expect(
      await before(
        `node -e 'let s="";process.stdin.on("data",d=>s+=d).on("end",()=>{const c=JSON.parse(s);console.log(c.event+" "+c.tool+" "+c.input.command)})'`,
      ),
    ).toEqual({
      context: "tool.before shell ls",
    });
  });

  test("deny by exit code 2, with what they wrote to standard error", async () => {
    expect(await before("echo 'not on Sundays' >&2; exit 2")).toEqual({ decision: "deny", reason: "not on Sundays" });
  });

  test("decide by JSON, and cannot allow", async () => {
    expect(await before(`echo '{"decision":"ask","reason":"look first"}'`)).toEqual({ decision: "ask", reason: "look first" });
    expect(await before(`echo '{"decision":"allow"}'`)).toEqual({});
  });

  test("that fail otherwise, or take too long, reject: the call is denied", async () => {
    await expect(before("exit 7")).rejects.toThrow("ended with 7");
    await expect(before("sleep 30", { timeoutMs: 50 })).rejects.toThrow("took longer");
  });

  test("match by a glob of tool names", async () => {
    expect(await before("exit 2", { match: "git*" })).toEqual({});
    expect(await before("exit 2", { match: "sh*" })).toMatchObject({ decision: "deny" });
  });

  test("C1 see no key of a provider", async () => {
    expect(await before("env", {}, { ...process.env, OPENAI_API_KEY: "canary-key" })).not.toMatchObject({
      context: expect.stringContaining("canary-key"),
    });
  });

  test("C6 I1: whose script an agent has rewritten see no home and change nothing outside the workspace", async () => {
    await using home = await createTestWorkspace({ ".netrc": "canary-of-home" });
    const env = { ...process.env, HOME: home.workspace };
    await writeFile(place.at("check.sh"), 'cat "$HOME/.netrc"; echo put > "$HOME/planted"; echo put > made; exit 0');
    const confined = await before("sh check.sh", {}, env);
    expect(JSON.stringify(confined).includes("canary-of-home")).toBe(!isConfined);
    expect(await readFile(home.at("planted"), "utf8").catch(() => "none")).toBe(isConfined ? "none" : "put\n");
    expect(await readFile(place.at("made"), "utf8")).toBe("put\n");
    const waived = await before("sh check.sh", { sandbox: false }, env);
    expect(waived).toEqual({ context: "canary-of-home" });
    expect(await readFile(home.at("planted"), "utf8")).toBe("put\n");
  });

  test("are found where their command names them, also in the home of the user", async () => {
    await using home = await createTestWorkspace({ ".netrc": "canary-of-home" });
    const env = { ...process.env, HOME: home.workspace };
    await mkdir(home.at("hooks"));
    await writeFile(home.at("hooks/check.sh"), '. "$(dirname "$0")/words.sh"; cat "$HOME/.netrc" 2>/dev/null; echo "$WORDS"');
    await writeFile(home.at("hooks/words.sh"), "WORDS=found");
    await writeFile(home.at("alone.sh"), "echo alone");
    const seen = isConfined ? "found" : "canary-of-homefound";
    expect(await before("sh ~/hooks/check.sh", {}, env)).toEqual({ context: seen });
    expect(await before(`sh '${home.at("hooks/check.sh")}' 2>/dev/null`, {}, env)).toEqual({ context: seen });
    expect(await before("sh $HOME/alone.sh; ls /dev/null", {}, env)).toEqual({ context: "alone\n/dev/null" });
  });

  test("deny where the sandbox is installed and cannot be made", async () => {
    if (!isConfined) {
      expect(await before("echo said")).toEqual({ context: "said" });
      return;
    }
    // A workspace that holds the whole system is refused by the sandbox.
    const hooks = createCommandHooks([{ on: "tool.before", command: "echo said" }], {
      workspace: path.parse(workspace).root,
      env: process.env,
    });
    await expect(hooks.hooks?.before?.(call, new AbortController().signal)).rejects.toMatchObject({
      code: "sandbox_unavailable",
    });
  });
});
