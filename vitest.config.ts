import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts"],
    globalSetup: ["scripts/vitest-global-setup.ts"],
    setupFiles: ["scripts/vitest-loopback-only.ts"],
    pool: "forks",
    // Workers are reused; a test leaves no global state behind.
    isolate: false,
    // Many tests wait for processes and sockets, so both cores of a small machine are given a worker.
    maxWorkers: Math.min(availableParallelism(), 8),
    // On a busy machine one of thousands may meet its timeout. CI tries such a test once more, and the test command names it.
    retry: process.env["CI"] === undefined ? 0 : 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    unstubEnvs: true,
    unstubGlobals: true,
    restoreMocks: true,
  },
});
