/**
 * Retinue on the same task: the real engine, loop, limits and transport. BENCH_STORE says where it is recorded: in memory, or in SQLite
 * (NORMAL or FULL).
 */
import { createEmbeddedEngine } from "@retinue/engine";
import { createModels } from "@retinue/model";
import { defineTool } from "@retinue/runtime";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createMemoryLog } from "@retinue/store";
import { createSqliteLog } from "@retinue/store/sqlite";
import { z } from "zod";
import { systemClock } from "../packages/retinue/src/system-ports.ts";
import { measure } from "./measure.ts";

let ids = 0;
const kind = process.env["BENCH_STORE"] ?? "memory";
const folder = mkdtempSync(path.join(tmpdir(), "retinue-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const kept =
  kind === "memory"
    ? null
    : createSqliteLog({ path: path.join(folder, "bench.db"), synchronous: kind === "FULL" ? "FULL" : "NORMAL" });

await measure("retinue", {
  run: async (baseUrl, onEcho) => {
    const models = createModels({
      providers: { mock: { type: "openai-compatible", baseUrl } },
      retry: { attempts: 1, maxWaitMs: 1_000 },
      streamIdleMs: 30_000,
      env: {},
    });
    const echo = defineTool({
      name: "echo",
      description: "Says it back.",
      input: z.object({ text: z.string() }),
      effect: "read",
      execute: ({ text }) => {
        onEcho();
        return text;
      },
    });
    const engine = createEmbeddedEngine({
      log: kept ?? createMemoryLog(),
      createId: () => String(++ids),
      ports: {
        model: (name) => models.resolve(name),
        tool: () => echo,
        clock: systemClock,
        realPath: async (file) => file,
        readFile: async () => "",
      },
      agents: new Map(),
      model: "mock/mock",
      maxConcurrent: 1,
      maxChildren: 1,
      unattended: "deny",
    });
    const handle = await engine.start({
      agent: "bench",
      task: [{ type: "text", text: "Do it." }],
      spec: {
        system: "You are a bench.",
        model: "mock/mock",
        fallbacks: [],
        tools: ["echo"],
        limits: { iterations: 500, toolCalls: 500, durationMs: 600_000, contextTokens: 10_000_000, tokens: 1_000_000_000 },
        treeLimits: {},
        grant: { tools: ["echo"], writes: [], hosts: [], approve: "all", maxDepth: 3 },
        delegates: [],
        workspace: "/",
      },
    });
    const { status, details, error } = await handle.result;
    if (status !== "completed") throw new Error(error?.message ?? status);
    return details;
  },
});
