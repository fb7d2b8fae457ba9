/**
 * `retinue test record` as a person uses it: a real window on a screen, clicked and typed into from outside of the browser, and closed. It takes Xvfb, xdotool and a Chromium that has
 * a window, which the one of npm has not; where one of them is missing, the command has to say so.
 */
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findBrowser } from "@retinue/tools/browser";
import type { SuiteResult } from "@retinue/protocol/test-case";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { createProject, type Project, type Running } from "../testing/spawn-retinue.ts";

const hasPrograms = ["Xvfb", "xdotool"].every((name) =>
  (process.env["PATH"] ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, name))),
);
const browser = await findBrowser({ headless: false, cacheFolder: "", env: process.env }).catch(() => null);
const canShow = hasPrograms && browser !== null;

/** Fields and button are so large that they are hit whatever a window has above its page. */
const FORM = `<!doctype html><title>Sign in</title><style>input, button { position: fixed; left: 0; width: 100vw; height: 30vh; }</style><h1>Sign in</h1>
<form action="/in"><input name="name" aria-label="Name" style="top: 0"><input name="pin" aria-label="PIN" style="top: 30vh"><button style="top: 60vh">Go</button></form>`;

const run = promisify(execFile);

/** A file of keys to X displays, with one for any of them. */
const toKeyFile = (cookie: Buffer): Buffer => {
  const field = (data: Buffer): Buffer => Buffer.concat([Buffer.from([data.length >> 8, data.length & 0xff]), data]);
  const none = field(Buffer.alloc(0));
  return Buffer.concat([Buffer.from([0xff, 0xff]), none, none, field(Buffer.from("MIT-MAGIC-COOKIE-1")), field(cookie)]);
};

describe("a window that a person works in", { timeout: 180_000 }, () => {
  const cleanups: (() => Promise<unknown> | void)[] = [];
  let url = "";
  let display = "";
  let key = "";
  beforeAll(async () => {
    const server = createServer(({ url: asked = "/" }, answer) => {
      const name = new URL(asked, "http://127.0.0.1").searchParams.get("name");
      answer.setHeader("content-type", "text/html");
      answer.end(name === null ? FORM : `<!doctype html><title>In</title><h1>Welcome ${name}</h1>`);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    cleanups.push(() => void server.close());
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (!canShow) return;
    const folder = await mkdtemp(path.join(tmpdir(), "retinue-screen-"));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    key = path.join(folder, "key");
    await writeFile(key, toKeyFile(randomBytes(16)));
    // As on a desktop, nobody may use the screen who has not its key.
    const screen = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1400x1000x24", "-nolisten", "tcp", "-auth", key], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    cleanups.push(() => void screen.kill());
    display = await new Promise((resolve, reject) => {
      screen.once("exit", () => reject(new Error("Xvfb ended")));
      screen.stdio[3]?.once("data", (number: Buffer) => resolve(`:${number.toString().trim()}`));
    });
  });
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  const xdotool = async (...words: readonly string[]): Promise<void> => {
    await run("xdotool", words, { env: { PATH: process.env["PATH"], DISPLAY: display, XAUTHORITY: key } });
    // As long as a person takes at least.
    await sleep(300);
  };
  const click = (y: number): Promise<void> => xdotool("mousemove", "600", String(y), "click", "1");

  const signIn = async (project: Project): Promise<Running> => {
    const recording = project.start(["test", "record", `${url}/`, "--out", "in.yaml"], {
      env: { DISPLAY: display, XAUTHORITY: key },
    });
    await recording.said("stderr", "navigate");
    await click(220);
    await xdotool("type", "--delay", "30", "Ada");
    await click(430);
    await xdotool("type", "--delay", "30", "4831");
    await click(650);
    await recording.said("stderr", "click button Go");
    // Nobody closes a window before having seen what came.
    await sleep(1_500);
    return recording;
  };

  test("needs a screen, and says so where there is none", async () => {
    const project = await createProject();
    cleanups.push(project.remove);
    const ended = await callRetinue(project, ["test", "record", `${url}/`]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("There is no screen to show a window on: DISPLAY is not set.");
  });

  test.each([
    ["closed", () => xdotool("key", "ctrl+w")],
    ["left by Ctrl-C", (recording: Running) => Promise.resolve(void recording.child.kill("SIGINT"))],
  ] as const)("becomes a case that passes, once it is %s; without such a browser it is said how to get one", async (_, end) => {
    const project = await createProject();
    cleanups.push(project.remove);
    if (!canShow) {
      if (browser !== null) return expect(hasPrograms).toBe(false);
      const ended = await callRetinue(project, ["test", "record", `${url}/`], { DISPLAY: ":0" });
      expect(ended.stderr).toContain("There is no browser with a window on this machine.");
      return expect(ended.stderr).toContain("apt install chromium");
    }
    const recording = await signIn(project);
    await end(recording);
    const ended = await recording.ended;
    expect(ended.code, ended.stderr).toBe(0);
    const text = await readFile(path.join(project.workspace, "in.yaml"), "utf8");
    expect(text).toContain(
      'Type "Ada" into the "Name" field, type "{{secret:PIN_SECRET}}" into the "PIN" field and click the "Go" button',
    );
    expect(text).toContain("name: Welcome Ada");
    expect(text + ended.stderr).not.toContain("4831");
    expect(ended.stderr).toContain("put PIN_SECRET into .env");
    // A PIN is a secret once a case names it.
    await writeFile(path.join(project.workspace, ".env"), "PIN_SECRET=4831\n");
    const tested = await callRetinue(project, ["test", "in.yaml", "--json", "-m", "offline/rules"]);
    const [result] = (JSON.parse(tested.stdout) as SuiteResult).cases;
    expect(`${result?.verdict} ${result?.reason}`).toBe("pass All 2 steps passed.");
  });
});
