// @module-tag long
/** What a test case says about its surroundings, in a real Chromium: how its browser looks, how dialogs are answered, who is logged in, what is done around it, and what it has for itself. */
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { put } from "../testing/play-testers.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const SETTINGS = `<!doctype html><title>Settings</title><meta name="viewport" content="width=device-width"><main></main><script>
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();
  document.querySelector("main").textContent = [
    innerWidth + "x" + innerHeight, locale, timeZone, new Date().toISOString().slice(0, 10),
    /Mobile/.test(navigator.userAgent) ? "mobile" : "desktop", matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  ].join(" ");
</script>`;

const DIALOGS = `<!doctype html><title>Dialogs</title><main>nothing yet</main>
<button onclick="show(confirm('Really delete it?'))">Delete</button>
<button onclick="show(prompt('What is your name?'))">Name</button>
<button onclick="setTimeout(() => show(confirm('Are you still there?')), 1500)">Wait</button>
<script>const show = (answer) => void (document.querySelector("main").textContent = "answered " + answer);</script>`;

const LOGIN = `<!doctype html><title>Log in</title><h1>Log in</h1><button>Enter</button><script>
  const open = () => new Promise((resolve) => {
    const request = indexedDB.open("app", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("who");
    request.onsuccess = () => resolve(request.result);
  });
  document.querySelector("button").onclick = async () => {
    const name = await (await fetch("/enter", { method: "POST" })).text();
    const store = (await open()).transaction("who", "readwrite").objectStore("who");
    store.put(name, "name").onsuccess = () => { location.href = "/me"; };
  };
</script>`;

const ME = `<!doctype html><title>Me</title><main>asking</main><script>
  const request = indexedDB.open("app", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("who");
  request.onsuccess = () => {
    const found = request.result.transaction("who").objectStore("who").get("name");
    found.onsuccess = () => { document.querySelector("main").textContent = found.result ? "You are " + found.result : "You are nobody"; };
  };
</script>`;

const PAGES: Readonly<Record<string, string>> = { "/settings": SETTINGS, "/dialogs": DIALOGS, "/login": LOGIN, "/me": ME };

type Site = { readonly url: string; readonly entered: () => number };

/** Whoever enters is given a name of their own, so that it shows how often somebody did. */
const startSite = async (): Promise<Site> => {
  let entered = 0;
  const server = createServer(({ url = "" }, response) => {
    if (url === "/enter") return void response.end(`token-${(entered += 1)}-of-ada`);
    response.setHeader("content-type", "text/html");
    return void response.end(PAGES[url] ?? "nothing");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(async () => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, entered: () => entered };
};

const createTests = async (files: Readonly<Record<string, string>>): Promise<Project> => {
  const project = await createProject();
  cleanups.push(project.remove);
  await writeFile(join(project.home, "retinue.yaml"), "allowUnsandboxed: true\n");
  for (const [name, text] of Object.entries(files)) await put({ project }, name, text);
  return project;
};

const run = async (
  project: Project,
  site: Site,
  ...words: readonly string[]
): Promise<{ readonly cases: readonly CaseResult[]; readonly stderr: string }> => {
  const given = ["test", ".", "--json", "-m", "offline/rules", "--var", `baseUrl=${site.url}`, ...words];
  const { stdout, stderr } = await callRetinue(project, given);
  expect(stdout, stderr).not.toBe("");
  return { cases: (JSON.parse(stdout) as SuiteResult).cases, stderr };
};

const verdicts = (cases: readonly CaseResult[]): readonly string[] =>
  cases.map(({ title, verdict, reason }) => `${title}: ${verdict}${verdict === "pass" ? "" : ` ${reason}`}`);

/** A case of one step that shows what stands in the page. */
const toCase = (title: string, page: string, shown: string, more = "", action = `Navigate to \${baseUrl}${page}`): string =>
  `title: ${title}\n${more}steps:\n  - action: ${action}\n    expected: { check: text, in: main, equals: "${shown}" }\n`;

describe("a case", { timeout: 180_000 }, () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });

  test("has viewport, device, locale, time zone, clock and colours as it says, above what its suite says", async () => {
    const own = (text: string): string => `browser: ${text}\n`;
    const project = await createTests({
      "suite.yaml": own('{ locale: de-DE, timezone: Europe/Berlin, clock: "2031-05-06T12:00:00Z" }'),
      "a.yaml": toCase("Suite", "/settings", "1280x720 de-DE Europe/Berlin 2031-05-06 desktop light"),
      "b.yaml": toCase(
        "Own",
        "/settings",
        "640x480 fr-FR Asia/Tokyo 2027-01-02 desktop dark",
        own(
          '{ viewport: { width: 640, height: 480 }, locale: fr-FR, timezone: Asia/Tokyo, clock: "2027-01-02T03:04:05Z", colorScheme: dark }',
        ),
      ),
      "c.yaml": toCase("Phone", "/settings", "412x839 de-DE Europe/Berlin 2031-05-06 mobile light", own("{ device: Pixel 7 }")),
    });
    const { cases } = await run(project, site, "--workers", "3");
    expect(verdicts(cases)).toEqual(["Suite: pass", "Own: pass", "Phone: pass"]);
  });

  test.each([
    ["{ timezone: Europe/Atlantis }", 'a.yaml:2: "Europe/Atlantis" is no time zone'],
    ["{ locale: x }", "a.yaml:2:"],
    ["{ locale: not_a_locale }", 'a.yaml:2: "not_a_locale" is no locale'],
    ['{ clock: "yesterday" }', "a.yaml:2:"],
    ["{ device: Commodore 64 }", 'a.yaml:2: there is no device "Commodore 64"'],
  ])("whose browser would be %s is wrong before anything is run", async (browser, message) => {
    const project = await createTests({ "a.yaml": toCase("A", "/settings", "", `browser: ${browser}\n`) });
    const ended = await callRetinue(project, ["test", ".", "-m", "offline/rules", "--var", `baseUrl=${site.url}`]);
    expect(ended.code, ended.stdout + ended.stderr).toBe(2);
    expect(ended.stderr).toContain(message);
  });

  test("answers dialogs as it says, and tells of each that it says nothing of", async () => {
    const dialogs = (text: string): string => `dialogs: ${text}\n`;
    const click = (name: string, more = ""): string => `Navigate to \${baseUrl}/dialogs and click the ${name} button${more}`;
    const project = await createTests({
      "a.yaml": toCase("Accepts", "", "answered true", dialogs("[{ message: Really, answer: accept }]"), click("Delete")),
      "b.yaml": toCase("Dismisses", "", "answered false", dialogs("[{ answer: dismiss }]"), click("Delete")),
      "c.yaml": toCase("Types", "", "answered Ada", dialogs("[{ message: name, answer: accept, text: Ada }]"), click("Name")),
      "d.yaml": toCase("Other", "", "answered false", dialogs("[{ message: name, answer: accept }]"), click("Delete")),
      "e.yaml": toCase("Late", "", "answered false", "", click("Wait")),
    });
    const { cases } = await run(project, site, "--workers", "3");
    expect(verdicts(cases)).toEqual(["Accepts: pass", "Dismisses: pass", "Types: pass", "Other: pass", "Late: pass"]);
    const told = (message: string): string =>
      `A dialog came up that the case does not speak of, and was dismissed: confirm "${message}". Say in dialogs how it is answered.`;
    expect(cases.map(({ problems }) => problems)).toEqual([
      [],
      [],
      [],
      [told("Really delete it?")],
      [told("Are you still there?")],
    ]);
  });

  test("does what comes after it whatever became of it, and tells what failed there", { tags: ["long"] }, async () => {
    const after = (name: string): string => `after:\n  - command: echo ${name} >> done.txt\n  - command: exit 3\n`;
    const project = await createTests({
      "a.yaml": toCase("Passes", "/settings", "1280x720", after("passes")).replace("equals", "contains"),
      "b.yaml": toCase("Fails", "/settings", "no such thing", after("fails")).replace("in: main,", "in: main, withinMs: 200,"),
      "c.yaml": toCase("Is blocked", "/settings", "", `before:\n  - command: exit 9\n${after("blocked")}`),
    });
    const { cases } = await run(project, site);
    expect(cases.map(({ verdict }) => verdict)).toEqual(["pass", "fail", "blocked"]);
    expect(await readFile(join(project.workspace, "done.txt"), "utf8")).toBe("passes\nfails\nblocked\n");
    for (const { problems } of cases)
      expect(problems.join("\n")).toMatch(/After the case: the command "exit 3" ends with 0; seen: exit code 3/);
  });

  test(
    "begins logged in as its role, which logs in once for all workers, with its databases, and results are kept private",
    { tags: ["long"] },
    async () => {
      const role = (page: string): string =>
        `baseUrl: ${site.url}\nroles:\n  ada:\n    steps:\n      - action: Navigate to ${site.url}${page} and click the Enter button\n        expected: { check: url, contains: /me }\n`;
      const before = site.entered();
      const me = (title: string, number: number): string =>
        toCase(title, "/me", `You are token-${before + number}-of-ada`, "role: ada\n");
      const project = await createTests({
        "shop/suite.yaml": role("/login"),
        "shop/a.yaml": me("One", 1),
        "shop/b.yaml": me("Two", 1),
        "shop/c.yaml": me("Three", 1),
        "shop/d.yaml": toCase("Nobody", "/me", "You are nobody"),
      });
      const { cases } = await run(project, site, "--workers", "4");
      expect(verdicts(cases)).toEqual(["One: pass", "Two: pass", "Three: pass", "Nobody: pass"]);
      expect(site.entered() - before).toBe(1);
      for (const file of await readdir(join(project.home, "tests"), { recursive: true, withFileTypes: true }))
        if (file.isFile()) expect((await stat(join(file.parentPath, file.name))).mode & 0o077).toBe(0);
    },
  );

  test("begins as the role of its own suite, where another suite has one of the same name", { tags: ["long"] }, async () => {
    const suite = (name: string): string =>
      `baseUrl: ${site.url}\nroles:\n  user:\n    steps:\n      - action: Navigate to ${site.url}/login and click the Enter button\n        expected: { check: url, contains: /me }\n      - action: Navigate to ${site.url}/me\n        expected: { check: text, in: main, contains: ${name} }\n`;
    const first = site.entered() + 1;
    const project = await createTests({
      "one/suite.yaml": suite(`token-${first}-`),
      "one/a.yaml": toCase("One", "/me", `You are token-${first}-of-ada`, "role: user\n"),
      "one/below/suite.yaml": suite(`token-${first + 1}-`),
      "one/below/a.yaml": toCase("Two", "/me", `You are token-${first + 1}-of-ada`, "role: user\n"),
      "one/c.yaml": toCase("One again", "/me", `You are token-${first}-of-ada`, "role: user\n"),
    });
    const { cases } = await run(project, site);
    expect(verdicts(cases)).toEqual(["One: pass", "Two: pass", "One again: pass"]);
  });

  test("has what it locks for itself, however many workers there are", { tags: ["long"] }, async () => {
    // Each leaves a mark while it is at work, and finds the other's where both are.
    const locked = (name: string, more: string): string =>
      `title: ${name}\n${more}before:\n  - command: test ! -e busy && touch busy && sleep 0.4 && rm busy\nsteps:\n  - action: Navigate to \${baseUrl}/settings\n    expected: { check: visible, element: main }\n`;
    const names = ["a", "b", "c"];
    const files = (more: string) => Object.fromEntries(names.map((name) => [`${name}.yaml`, locked(name, more)]));
    const { cases } = await run(await createTests(files("locks: [desk]\n")), site, "--workers", "3");
    expect(cases.map(({ verdict }) => verdict)).toEqual(["pass", "pass", "pass"]);
    const unlocked = await run(await createTests(files("")), site, "--workers", "3");
    expect(unlocked.cases.map(({ verdict }) => verdict)).toContain("blocked");
  });
});
