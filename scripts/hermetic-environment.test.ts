/** What tests and examples see of the environment they were started in. */
import { existsSync } from "node:fs";
import os from "node:os";
import { expect, test } from "vitest";
import { toHermeticEnvironment } from "./hermetic-environment.ts";

test("keys, addresses and settings are left out; the rest stays", () => {
  const environment = toHermeticEnvironment(
    {
      PATH: "/bin",
      OPENAI_API_KEY: "x",
      ANTHROPIC_AUTH_TOKEN: "x",
      OPENAI_BASE_URL: "x",
      OLLAMA_HOST: "x",
      XDG_CONFIG_HOME: "x",
      NO_COLOR: "1",
      RETINUE_AGENT__MAX_DEPTH: "5",
      HOME: "/home/user",
    },
    "/tmp/home",
  );
  expect(environment).toMatchObject({ PATH: "/bin", HOME: "/tmp/home", USERPROFILE: "/tmp/home", RETINUE_TEST: "1" });
  expect(Object.keys(environment).filter((name) => /KEY|TOKEN|URL|OLLAMA|XDG|COLOR|MAX_DEPTH/.test(name))).toEqual([]);
});

test("this very test runs in such an environment", () => {
  expect(process.env["RETINUE_TEST"]).toBe("1");
  expect(os.homedir()).toMatch(/retinue-home-/);
  expect(existsSync(os.homedir())).toBe(true);
});
