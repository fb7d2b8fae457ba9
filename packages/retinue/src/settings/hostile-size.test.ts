/** Settings files that are made to hang whoever reads them. Reading them takes time in proportion to their size. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadSettings } from "./load-settings.ts";

/** As many as fit into the largest file that is read. */
const KEYS = 15_000;
const WAIT_MS = 60_000;

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "retinue-size-")));
  await mkdir(join(root, "home"));
  await mkdir(join(root, "project"));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const load = async (text: string): ReturnType<typeof loadSettings> => {
  await writeFile(join(root, "project", "retinue.yaml"), text);
  return loadSettings({ workspace: join(root, "project"), home: join(root, "home"), env: {} });
};

const lines = (line: (index: number) => string): string => Array.from({ length: KEYS }, (_, index) => line(index)).join("\n");

describe("L18 a settings file of many thousand keys is read or refused at once", () => {
  test("of 60,000 keys: refused by its size", async () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join("\n");
    await expect(load(text)).rejects.toMatchObject({
      code: "settings_unreadable",
      message: expect.stringContaining("it is larger than 256 KiB"),
    });
  });

  test("of keys that nobody knows: refused, and the first of them are named", { timeout: WAIT_MS }, async () => {
    const thrown: unknown = await load(lines((index) => `k${index}: 1`)).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "settings_invalid" });
    const { message } = thrown as Error;
    expect(message).toContain("The settings have 15000 problems.");
    expect(message).toContain("retinue.yaml:1:1: k0: unknown key");
    expect(message).toMatch(/and 14950 more\.$/);
    expect(message.length).toBeLessThan(20_000);
  });

  test("of short names for models: read", { timeout: WAIT_MS }, async () => {
    const { settings, origins } = await load(`models:\n${lines((index) => ` m${index}: a/b`)}`);
    expect(Object.keys(settings.models)).toHaveLength(KEYS);
    expect(origins.get("models.m14999")).toMatchObject({ line: KEYS + 1 });
  });

  test("of providers: read", { timeout: WAIT_MS }, async () => {
    const { settings } = await load(
      `providers:\n${lines((index) => ` p${index}: {type: vllm}`)
        .slice(0, 250_000)
        .replace(/\n[^\n]*$/, "")}`,
    );
    expect(Object.keys(settings.providers).length).toBeGreaterThan(10_000);
  });

  test("of the same key: refused with its line", { timeout: WAIT_MS }, async () => {
    await expect(load(`models:\n${lines(() => " same: a/b")}`)).rejects.toMatchObject({
      code: "settings_malformed",
      message: expect.stringContaining("retinue.yaml:3:2: Map keys must be unique"),
    });
  });

  test("of folders in folders: refused", { timeout: WAIT_MS }, async () => {
    await expect(load("[".repeat(200_000))).rejects.toMatchObject({ code: "settings_malformed" });
  });
});
