import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DesktopSession } from "./desktop-session.ts";
import { createDesktops } from "./desktops.ts";

const PROGRAMS = ["Xvfb", "xdotool", "import", "xterm"];
const isInstalled = PROGRAMS.every((name) =>
  (process.env["PATH"] ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, name))),
);

const SCREEN = { width: 800, height: 600 };

let folder: string;
let workspace: TestWorkspace;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "retinue-desktop-"));
  workspace = await createTestWorkspace();
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const openDesktop = async (script: string) => {
  const desktops = createDesktops({ env: process.env, secrets: () => new Map([["PIN", "4711-secret"]]) });
  desktops.configure("ses_test", {
    ownScreen: SCREEN,
    programs: [["xterm", "-geometry", "100x40+0+0", "-e", "sh", "-c", script]],
  });
  const [{ resource }] = desktops.tools as [(typeof desktops.tools)[number]];
  if (!resource) throw new Error("the tools of the screen share no resource");
  const held = (await resource.open({
    sessionId: "ses_test",
    runId: null,
    workspace: workspace.workspace,
    signal: workspace.context.signal,
  })) as DesktopSession;
  return {
    held,
    call: async (name: string, input: object, more: object = {}) => {
      const tool = desktops.tools.find((one) => one.name === name);
      if (!tool) throw new Error(`there is no tool ${name}`);
      return toText(await tool.execute(tool.input.parse(input), { ...workspace.context, ...more }, held));
    },
    [Symbol.asyncDispose]: async () => resource.close(held),
  };
};

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 200 && !(await isSo()); tries += 1) await sleep(50);
};

/** Where these programs are not installed, the last test is the lane that is taken. */
const describeInstalled = isInstalled ? describe : (_name: string, _tests: () => void): void => undefined;

describeInstalled("on a screen of its own", () => {
  test(
    "a terminal is clicked, typed into by words and by the name of a secret, and its pictures are kept",
    { tags: ["long"] },
    async () => {
      const file = path.join(folder, "typed.txt");
      await using desktop = await openDesktop(`while read line; do echo "$line" >> ${file}; done`);
      await until(async () => (await desktop.call("click", { x: 300, y: 200 })).includes("Clicked at 300,200."));
      await sleep(500);
      await desktop.call("click", { x: 300, y: 200 });
      expect(await desktop.call("type", { text: "hello screen" })).toBe('Typed "hello screen". The screen changed.');
      await desktop.call("key", { key: "Enter" });
      expect(await desktop.call("type", { text: "{{secret:PIN}}\n" })).not.toContain("4711");
      await until(async () => existsSync(file) && (await readFile(file, "utf8")).includes("4711"));
      expect(await readFile(file, "utf8")).toBe("hello screen\n4711-secret\n");

      const shot = await desktop.call("screenshot", { question: "What is typed?" });
      expect(shot).toContain("Screenshot of 800 × 600 pixels kept as artifact:art_");
      expect(shot).toContain("There is no model that reads images");
      const [picture] = workspace.binaries.values();
      expect(
        Buffer.from(picture ?? [])
          .subarray(0, 8)
          .toString("latin1"),
      ).toBe("\u0089PNG\r\n\u001a\n");
      expect(await desktop.call("scroll", { direction: "down", steps: 1 })).toMatch(/^Scrolled down\./);
    },
  );

  test("a model that reads images finds what is described, and the answer says that this is not deterministic", async () => {
    await using desktop = await openDesktop("sleep 60");
    const spent = { usage: { input: 1, output: 1, cached: 0, reasoning: 0 }, costUsd: 0 };
    const look = async () => ({ text: "320, 240", model: "vision/one", spent });
    expect(await desktop.call("click", { description: "the prompt" }, { look })).toContain(
      'Clicked at 320,240, where vision/one sees "the prompt" (not deterministic).',
    );
    const blind = async () => ({ text: "none", model: "vision/one", spent });
    await expect(desktop.call("click", { description: "a door" }, { look: blind })).rejects.toThrow('does not see "a door"');
    await expect(desktop.call("click", { description: "a door" })).rejects.toThrow("There is no model that reads images");
  });

  test("what was started on it ends with it", async () => {
    const desktop = await openDesktop("sleep 600");
    const { display } = desktop.held;
    const socket = `/tmp/.X11-unix/X${display.slice(1)}`;
    expect(existsSync(socket)).toBe(true);
    await desktop[Symbol.asyncDispose]();
    expect(existsSync(socket)).toBe(false);
  });
});

test("where programs are missing it is said which to install", async () => {
  await expect(DesktopSession.open({ ownScreen: SCREEN }, { PATH: folder })).rejects.toThrow(
    expect.objectContaining({
      message:
        "There is no screen to work on: the screen is seen and acted upon with xdotool and one of imagemagick, scrot and ffmpeg, which this machine has not.",
      hint: "Install it: apt install xdotool imagemagick.",
    }),
  );
});
