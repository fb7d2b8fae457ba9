import { RetinueError } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { reachesHost } from "../policy/host-pattern.ts";
import { createJudge } from "../policy/judge.ts";
import { protectionOf } from "../policy/protected-paths.ts";
import { defineTool } from "./tool.ts";

const LONG = 200_000;

describe("a name that a model made up", () => {
  test("J4 with very many dots, or very many colons, is looked through once", () => {
    expect(protectionOf(`a${".".repeat(LONG)}x`)).toBeUndefined();
    expect(protectionOf(`.env${".".repeat(LONG)}`)).toBeDefined();
    expect(reachesHost("example.com", `${":".repeat(LONG)}x`)).toBe(false);
  });

  test.each([
    ["::1", "::1", true],
    ["fe80::1%eth0", "fe80::1%eth0", true],
    ["::1", "x.::1", false],
    ["1", "::1", false],
    ["example.com:80", "sub.example.com:80", true],
    ["a:b", "a:b", true],
  ])("%s is the pattern and %s the host: %s", (pattern, host, expected) => {
    expect(reachesHost(pattern, host)).toBe(expected);
  });

  test("that leads nowhere the system can follow is denied with the reason, and nothing is thrown", async () => {
    const read = defineTool({
      name: "read",
      description: "Reads.",
      input: z.object({ path: z.string() }),
      effect: "read",
      touches: ({ path }) => ({ paths: [path] }),
      execute: () => "",
    });
    const judged = await createJudge()({
      callId: "c",
      tool: read,
      input: { path: "a" },
      spec: {
        system: "",
        model: "m/m",
        fallbacks: [],
        tools: [],
        limits: {},
        treeLimits: {},
        delegates: [],
        workspace: "/work",
        grant: { tools: [], writes: [], hosts: [], approve: "all", maxDepth: 1 },
      },
      realPath: async () => {
        throw new RetinueError("tool_failed", "ENAMETOOLONG: the name is too long");
      },
    });
    expect(judged).toMatchObject({ type: "deny", error: { code: "tool_failed" } });
  });
});
