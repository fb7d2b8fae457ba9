import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { findLongTests, findWhollyLongTests, LONG_TAG, TEST_FILES } from "./scripts/long-tests.ts";

/** Long tests are no part of `npm test`; `npm run test:long` runs them, and so does CI. Called by itself, the test runner takes all. */
const tests = process.env["RETINUE_TESTS"];

export default defineConfig({
  test: {
    include: tests === "long" ? findLongTests(import.meta.dirname) : TEST_FILES,
    exclude: tests === "short" ? findWhollyLongTests(import.meta.dirname) : [],
    tags: [{ name: LONG_TAG, description: "Takes too long for every change: `npm run test:long` runs it." }],
    ...(tests === "long" ? { tagsFilter: [LONG_TAG] } : {}),
    ...(tests === "short" ? { tagsFilter: [`!${LONG_TAG}`] } : {}),
    globalSetup: ["scripts/vitest-global-setup.ts"],
    setupFiles: ["scripts/vitest-loopback-only.ts"],
    pool: "forks",
    // Workers are reused; a test leaves no global state behind.
    isolate: false,
    // Many tests wait for processes and sockets, so there are more workers than cores.
    maxWorkers: Math.min(Math.ceil(availableParallelism() * 1.5), 8),
    // On a busy machine one of thousands may meet its timeout. CI tries such a test once more, and the test command names it.
    retry: process.env["CI"] === undefined ? 0 : 1,
    // What is polled for comes to be, however busy the machine is; one second is too short for that.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    unstubEnvs: true,
    unstubGlobals: true,
    restoreMocks: true,
  },
});
