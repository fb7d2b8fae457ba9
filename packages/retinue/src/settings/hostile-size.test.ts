/** Settings files that are made to hang whoever reads them. Reading them takes time in proportion to their size. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadSettings } from "./load-settings.ts";

/** As many as fit into the largest file that is read, and a tenth of them. */
const MOST_KEYS = 15_000;
const SOME_KEYS = 1_500;
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

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

describe("L18 a settings file of many thousand keys is refused at once", () => {
  test("of 60,000 keys, by its size", async () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join("\n");
    await expect(load(text)).rejects.toMatchObject({
      code: "settings_unreadable",
      message: expect.stringContaining("it is larger than 256 KiB"),
    });
  });

  test("of folders in folders", { timeout: WAIT_MS }, async () => {
    await expect(load("[".repeat(200_000))).rejects.toMatchObject({ code: "settings_malformed" });
  });
});

const readOrRefused = (keys: number) => (): void => {
  test("of keys that nobody knows: refused, and the first of them are named", { timeout: WAIT_MS }, async () => {
    const thrown: unknown = await load(lines(keys, (index) => `k${index}: 1`)).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "settings_invalid" });
    const { message } = thrown as Error;
    expect(message).toContain(`The settings have ${keys} problems.`);
    expect(message).toContain("retinue.yaml:1:1: k0: unknown key");
    expect(message).toMatch(new RegExp(`and ${keys - 50} more\\.$`));
    expect(message.length).toBeLessThan(20_000);
  });

  test("of short names for models: read", { timeout: WAIT_MS }, async () => {
    const { settings, origins } = await load(`models:\n${lines(keys, (index) => ` m${index}: a/b`)}`);
    expect(Object.keys(settings.models)).toHaveLength(keys);
    expect(origins.get(`models.m${keys - 1}`)).toMatchObject({ line: keys + 1 });
  });

  test("of providers: read", { timeout: WAIT_MS }, async () => {
    const { settings } = await load(
      `providers:\n${lines(keys, (index) => ` p${index}: {type: vllm}`)
        .slice(0, 250_000)
        .replace(/\n[^\n]*$/, "")}`,
    );
    expect(Object.keys(settings.providers).length).toBeGreaterThan(keys * 0.66);
  });

  test("of the same key: refused with its line", { timeout: WAIT_MS }, async () => {
    await expect(load(`models:\n${lines(keys, () => " same: a/b")}`)).rejects.toMatchObject({
      code: "settings_malformed",
      message: expect.stringContaining("retinue.yaml:3:2: Map keys must be unique"),
    });
  });
};

describe("L18 a settings file of 1,500 keys is read or refused at once", readOrRefused(SOME_KEYS));

describe("L18 a settings file of many thousand keys is read or refused at once", { tags: ["long"] }, readOrRefused(MOST_KEYS));
