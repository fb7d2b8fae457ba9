/** Gives every test process the hermetic environment, with a home of its own that is removed at the end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { toHermeticEnvironment } from "./hermetic-environment.ts";

export const setup = (): (() => void) => {
  const home = mkdtempSync(path.join(tmpdir(), "retinue-home-"));
  const environment = toHermeticEnvironment(process.env, home);
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  return () => rmSync(home, { recursive: true, force: true });
};
