import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts"],
    isolate: false,
    pool: "forks",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { RETINUE_TEST: "1" },
  },
});
