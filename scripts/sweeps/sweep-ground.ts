/** Makes what the trials of all sweeps share: a folder, the victim in one file, and a repository to copy. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { rolldown } from "rolldown";
import { SCENARIOS } from "./scenarios.ts";
import type { SweepGround } from "./stage.ts";
import { createTemplate } from "./victim-worktrees.ts";

export type OwnedGround = SweepGround & { readonly place: string; readonly close: () => void };

const VICTIM = path.join(import.meta.dirname, "victim.ts");

export const createSweepGround = async (signal?: AbortSignal): Promise<OwnedGround> => {
  const place = mkdtempSync(path.join(tmpdir(), "retinue-sweep-"));
  const close = (): void => rmSync(place, { recursive: true, force: true });
  try {
    const program = await bundleProgram(VICTIM, path.join(place, "victim"));
    const template = createTemplate(place, SCENARIOS["busy-tree"].files ?? {});
    return { place, program, template, signal, close };
  } catch (thrown) {
    close();
    throw thrown;
  }
};

/** A start from the sources reads some hundred files and strips their types: most of what a trial would cost. Gives the one file of a program. */
export const bundleProgram = async (file: string, folder: string): Promise<string> => {
  const { name } = path.parse(file);
  const bundle = await rolldown({ input: { [name]: file }, platform: "node", external: ["pg-native", "pg-cloudflare"] });
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" });
  await bundle.close();
  return path.join(folder, `${name}.mjs`);
};
