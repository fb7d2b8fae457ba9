import type { HookedCall } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { createCommandHooks } from "./command-hooks.ts";
import type { HookSettings } from "./settings/settings.ts";

const call: HookedCall = {
  run: { sessionId: "ses_1", runId: "run_1", parentRunId: null, depth: 0, agent: "main" },
  callId: "c1",
  tool: "shell",
  effect: "execute",
  input: { command: "ls" },
};

const before = (command: string, more: Partial<HookSettings> = {}, env: NodeJS.ProcessEnv = process.env) =>
  createCommandHooks([{ on: "tool.before", command, ...more }], process.cwd(), env).hooks?.before?.(
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
});
