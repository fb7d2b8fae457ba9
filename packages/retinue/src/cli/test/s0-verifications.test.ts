// @module-tag long
/**
 * What the design of two tiers, an orchestrator and its sub-agents, is to be verified by, in its own order: each test carries the number of its verification. Commands, packages,
 * pages and pictures are real; only the models are played.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { access, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient } from "@retinue/client";
import type { SessionId } from "@retinue/protocol";
import { readEnding } from "@retinue/protocol";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { createCaseLog } from "@retinue/qa";
import { afterAll, expect, test } from "vitest";
import { openServer } from "../../serve/open-server.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { call } from "../testing/mock-project.ts";
import { ownTask, PASS, playTesters, put } from "../testing/play-testers.ts";
import { readSessions } from "../testing/read-sessions.ts";
import type { Ended } from "../testing/spawn-retinue.ts";
import { toEnvironment } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];
const testers = playTesters();
cleanups.push(testers.remove);
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const casesOf = ({ stdout, stderr }: Ended): readonly CaseResult[] => {
  expect(stdout, stderr).not.toBe("");
  return (JSON.parse(stdout) as SuiteResult).cases;
};

/** A page of each of ten services: its name, and what it logged. */
const startServices = async (): Promise<string> => {
  const server = createServer(({ url = "" }, response) => {
    const [, number = "0"] = /^\/service\/(\d+)$/.exec(url) ?? [];
    const rows = Array.from(
      { length: 120 },
      (_, at) => `<li>10:00:${at} service ${number} answered request ${at * 7} in ${at} ms</li>`,
    );
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>Services</title><h1>Service ${number} is up</h1><ul>${rows.join("")}</ul>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(async () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const SERVICES = Array.from({ length: 10 }, (_, at) => at + 1);

test(
  "S0 verification 1: ten steps with screenshots overflow one agent at 32k, and pass by sub-agents that stay below 8k",
  { tags: ["long"], timeout: 300_000 },
  async () => {
    const url = await startServices();
    /** A tester opens the page, reads it, and looks at it. */
    const looks = (service: number) => [
      call("browser_navigate", { url: `${url}/service/${service}` }),
      call("browser_snapshot", {}),
      call("browser_take_screenshot", { question: `Is service ${service} up?` }),
    ];
    const all = SERVICES.flatMap(looks);
    // One agent loses what it saw, and goes on after the last call that it still sees.
    let flat = 0;
    const made = await testers.create({
      act: (task, count) => {
        const [, service] = /Open the page of service (\d+)$/.exec(ownTask(task)) ?? [];
        return service === undefined ? all[flat++] : looks(Number(service))[count];
      },
      see: (question) => `Yes: the heading says "Service ${/service (\d+)/.exec(question)?.[1] ?? ""} is up".`,
      settings: "visionModel: local/eyes\n",
    });
    await put(
      made,
      "services.yaml",
      [
        "title: Ten services are up",
        "steps:",
        ...SERVICES.flatMap((service) => [
          `  - action: Open the page of service ${service}`,
          `    expected: ["It shows \\"Service ${service} is up\\"", { check: text, in: heading, equals: Service ${service} is up }]`,
        ]),
      ].join("\n"),
    );
    const ended = await callRetinue(made.project, ["test", "services.yaml", "--compare-flat", "--var", `baseUrl=${url}`]);
    expect(ended.code, ended.stderr + ended.stdout).toBe(0);
    const [, flatPeak, peak] = /^ +peak context +(\d+) +(\d+)$/m.exec(ended.stdout) ?? [];
    expect(Number(flatPeak), ended.stdout).toBeGreaterThan(24_000);
    expect(Number(peak), ended.stdout).toBeLessThanOrEqual(8_000);
    const sessions = await readSessions(made.project);
    const [one = [], several = []] = ["qa-flat", "qa-runner"].map((agent) => sessions.find(([first]) => first?.agent === agent));
    // What the one agent had seen at first had to go; nothing had to in the contexts of the ten.
    expect(one.some(({ type }) => type === "context.fitted")).toBe(true);
    expect(several.some(({ type }) => type === "context.fitted")).toBe(false);
    for (const events of [one, several])
      expect(
        events.filter((event) => event.type === "tool.settled" && event.tool === "browser_take_screenshot" && event.artifact),
      ).toHaveLength(10);
    // Pictures go to the model that looks at them, and into no conversation.
    const withPicture = made.server.requests.filter(({ text }) => text.includes("image_url"));
    expect(withPicture).toHaveLength(20);
    for (const { body } of withPicture) expect((body as { readonly model: string }).model).toBe("eyes");
  },
);

const COMPOUND = `title: A release is prepared
steps:
  - action: Write the version to version.txt, the notes to notes.txt and the date to date.txt
    expected: { check: command, run: cat version.txt notes.txt date.txt, output: 1.0 first today }
  - action: Look at the notes
    expected: notes.txt says "first"
`;

const PARTS = {
  "Write the version": ["version.txt", "1.0"],
  "Write the notes": ["notes.txt", "first"],
  "Write the date": ["date.txt", "today"],
};

const prepare = (task: string) => {
  const [, file] = Object.entries(PARTS).find(([words]) => ownTask(task).startsWith(words)) ?? [];
  return file ? call("write", { path: file[0], content: `${file[1]}\n` }) : call("shell", { command: "cat notes.txt" });
};

const runCompound = async (): Promise<{ readonly made: MockProject; readonly ended: Ended }> => {
  const made = await testers.create({
    act: prepare,
    say: (task) => `RESULT: PASS\nSUMMARY: Done: ${ownTask(task)}.`,
    plan: () => ({
      sub_tasks: [
        ...Object.keys(PARTS).map((description) => ({ step: 1, description, expected_result: "it is written" })),
        { step: 2, description: "Look at the notes", expected_result: "anything at all" },
      ],
    }),
  });
  await put(made, "release.yaml", COMPOUND);
  return { made, ended: await callRetinue(made.project, ["test", "release.yaml"]) };
};

test("S0 verification 2: the orchestrator splits a compound step, and what the case expects stays as it is", async () => {
  const { made, ended } = await runCompound();
  expect(ended.code, ended.stderr + ended.stdout).toBe(0);
  expect(ended.stderr).toContain("[Orchestrator] Planning: decomposed test case into 4 sub-tasks");
  expect(ended.stderr.split("\n").filter((line) => line.startsWith("[Orchestrator] Sub-task"))).toEqual([
    "[Orchestrator] Sub-task 1/4: Write the version",
    "[Orchestrator] Sub-task 2/4: Write the notes",
    "[Orchestrator] Sub-task 3/4: Write the date",
    "[Orchestrator] Sub-task 4/4: Look at the notes",
  ]);
  const tasks = made.server.requests.map(({ text }) => text);
  expect(tasks.some((text) => text.includes(String.raw`Look at the notes\n\nEXPECTED RESULT:\nnotes.txt says`))).toBe(true);
  expect(tasks.some((text) => text.includes("EXPECTED RESULT:\\nanything at all"))).toBe(false);
});

test("S0 verification 3: each sub-agent does its one sub-task in a context of its own, and returns a structured result", async () => {
  const { made } = await runCompound();
  const [events = []] = await readSessions(made.project);
  const results = events.flatMap((event) =>
    event.type === "run.settled" && event.agent === "qa-step" ? [readEnding(event.result.details)] : [],
  );
  expect(results).toEqual([
    ...Object.keys(PARTS).map((words) => ({ status: "pass", summary: `Done: ${words}.` })),
    { status: "pass", summary: "Done: Look at the notes." },
  ]);
  // The last one is told what came of those before it, in their words, and nothing of what their tools were given and gave out.
  const last = made.server.requests.filter(({ text }) => text.includes(String.raw`YOUR TASK:\nLook at the notes`))[0]?.text ?? "";
  expect(last).toContain("Done: Write the date.");
  expect(last).not.toContain("Wrote");
  expect(last).not.toMatch(/"role":"tool"/);
});

const APP = `title: The shop's till adds up
steps:
  - action: Run node till.js
    expected: { check: command, run: node till.js, output: total 42 }
`;

/** A project whose dependency is declared, packed beside it, and not installed. */
const createTill = async (made: MockProject): Promise<void> => {
  await put(made, "vendor/adding/package.json", JSON.stringify({ name: "adding", version: "1.0.0", main: "adding.js" }));
  await put(made, "vendor/adding/adding.js", "exports.add = (a, b) => a + b;\n");
  await promisify(execFile)("npm", ["pack", "./vendor/adding", "--pack-destination", "vendor", "--offline", "--silent"], {
    cwd: made.project.workspace,
    env: toEnvironment(made.project.home),
  });
  await put(
    made,
    "package.json",
    JSON.stringify({ name: "till", version: "1.0.0", private: true, dependencies: { adding: "file:vendor/adding-1.0.0.tgz" } }),
  );
  await put(made, "till.js", 'console.log("total", require("adding").add(40, 2));\n');
  await put(made, "till.yaml", APP);
};

const INSTALL = "npm install --offline --no-audit --no-fund --loglevel=error";
const isInstall = (task: string): boolean => ownTask(task).startsWith("Install");

/** An honest tester: what it says follows from what its command printed. */
const runTill = {
  act: (task: string) => call("shell", { command: isInstall(task) ? INSTALL : "node till.js" }),
  say: (task: string, told: string) => {
    if (isInstall(task))
      return /added 1 package/.test(told)
        ? "RESULT: PASS\nSUMMARY: adding 1.0.0 is installed."
        : "RESULT: FAIL\nSUMMARY: npm failed.";
    return told.includes("Cannot find module 'adding'") ? "RESULT: FAIL\nSUMMARY: Cannot find module 'adding'." : PASS;
  },
};

test(
  "S0 verification 4: a missing dependency is really installed by a recovery, once, and the step passes when it is tried again",
  { timeout: 120_000 },
  async () => {
    const made = await testers.create({
      ...runTill,
      evaluate: (text) => ({
        decision: "recover",
        reason: /Cannot find module '\w+'/.exec(text)?.[0] ?? "no reason was told",
        recovery_task: { description: "Install the declared dependencies with npm", expected_result: "adding is installed" },
      }),
    });
    await createTill(made);
    const installed = join(made.project.workspace, "node_modules", "adding", "adding.js");
    await expect(access(installed)).rejects.toThrow();
    const ended = await callRetinue(made.project, ["test", "till.yaml"]);
    expect(ended.code, ended.stderr + ended.stdout).toBe(0);
    expect(ended.stdout).toContain("✓ PASS The shop's till adds up");
    expect(ended.stdout).toContain("[recovered]");
    // By npm, from the package that was packed.
    expect(await readFile(installed, "utf8")).toContain("exports.add");
    expect(JSON.parse(await readFile(join(made.project.workspace, "package-lock.json"), "utf8"))).toMatchObject({
      packages: { "node_modules/adding": { resolved: "file:vendor/adding-1.0.0.tgz" } },
    });
    const log = ended.stderr.split("\n").filter((line) => /^(\[Orchestrator\]| {2}\[Sub-agent\]| {2}\[Runner\])/.test(line));
    expect(log).toEqual([
      "[Orchestrator] Planning: decomposed test case into 1 sub-tasks",
      "[Orchestrator] Sub-task 1/1: Run node till.js",
      '  [Sub-agent] shell(command="node till.js")',
      "  [Sub-agent] RESULT: FAIL — Cannot find module 'adding'.",
      expect.stringMatching(
        /^ {2}\[Runner\] failed: the command "node till.js" ends with 0, its output is "total 42"; seen: exit code 1/,
      ),
      "[Orchestrator] Decision: recover: Cannot find module 'adding'",
      "[Orchestrator] Recovery: Install the declared dependencies with npm",
      `  [Sub-agent] shell(command="${INSTALL}")`,
      "  [Sub-agent] RESULT: PASS — adding 1.0.0 is installed.",
      "[Orchestrator] Sub-task 1/1: Run node till.js (again)",
      '  [Sub-agent] shell(command="node till.js")',
      "  [Sub-agent] RESULT: PASS — It was seen.",
      '  [Runner] held: the command "node till.js" ends with 0, its output is "total 42"',
      "[Orchestrator] Verdict: PASS — The end.",
    ]);
  },
);

test(
  "S0 verification 4: a recovery that fails stops the case, and no second one is made",
  { tags: ["long"], timeout: 120_000 },
  async () => {
    const recover = {
      decision: "recover",
      reason: "a dependency is missing",
      recovery_task: { description: "Install the declared dependencies with npm", expected_result: "adding is installed" },
    };
    const broken = await testers.create({ ...runTill, evaluate: () => recover });
    await createTill(broken);
    await put(broken, "vendor/adding-1.0.0.tgz", "this is no package");
    const [unrecovered] = casesOf(await callRetinue(broken.project, ["test", "till.yaml", "--json"]));
    expect(unrecovered).toMatchObject({ verdict: "fail", steps: [{ verdict: "fail", attempts: 1 }] });

    const again = await testers.create({
      ...runTill,
      // It says that it installed something, and did not.
      act: (task) => call("shell", { command: isInstall(task) ? "echo added 1 package" : "node till.js" }),
      evaluate: () => recover,
    });
    await createTill(again);
    const ended = await callRetinue(again.project, ["test", "till.yaml"]);
    expect(ended.code, ended.stdout).toBe(1);
    expect(ended.stderr.split("\n").filter((line) => line.startsWith("[Orchestrator] Recovery"))).toHaveLength(1);
    expect(ended.stderr).toContain("[Orchestrator] Decision: stop: a recovery was tried already");
  },
);

test("S0 verification 5: a failure that cannot be recovered stops the case, and nothing more is done", async () => {
  const made = await testers.create({
    act: () => call("shell", { command: "echo 404 not found" }),
    say: () => "RESULT: FAIL\nSUMMARY: The login page answers with 404.",
    evaluate: () => ({ decision: "stop", reason: "the application is not deployed" }),
  });
  await put(
    made,
    "login.yaml",
    "title: A user logs in\nsteps:\n  - { action: Open the login page, expected: It is shown }\n  - { action: Log in, expected: The dashboard is shown }\n",
  );
  const [result] = casesOf(await callRetinue(made.project, ["test", "login.yaml", "--json"]));
  expect(result).toMatchObject({ verdict: "fail", steps: [{ verdict: "fail", attempts: 1 }, { verdict: "skipped" }] });
  const [events = []] = await readSessions(made.project);
  expect(events.flatMap((event) => (event.type === "plan.decided" ? [[event.decision, event.reason]] : []))).toEqual([
    ["stop", "the application is not deployed"],
  ]);
  expect(events.filter((event) => event.type === "run.requested" && event.agent === "qa-step")).toHaveLength(1);
});

/** Follows whatever session comes to be, from another connection, and writes the log of it as its events arrive. */
const followLog = async ({
  project,
}: MockProject): Promise<{ readonly lines: () => readonly string[]; readonly isOver: () => boolean }> => {
  const server = await openServer({ folders: [project.workspace], env: toEnvironment(project.home) });
  const client = createClient({ url: server.url, token: server.token });
  const lines: string[] = [];
  const known = new Set<SessionId>();
  let isOver = false;
  const follow = (sessionId: SessionId): void => {
    if (known.has(sessionId)) return;
    known.add(sessionId);
    const log = createCaseLog();
    const feed = client.followSession(sessionId, {
      onEvent: (event) => {
        lines.push(...log.take(event));
        isOver ||= event.type === "plan.settled";
      },
    });
    cleanups.push(async () => feed.close());
  };
  const all = client.followAll({ onSession: ({ sessionId }) => follow(sessionId) });
  cleanups.push(server.close, async () => all.close());
  return { lines: () => lines, isOver: () => isOver };
};

test(
  "S0 verification 6: the log shows both tiers line for line, in the terminal and to whoever follows the feed",
  { timeout: 120_000 },
  async () => {
    const url = await startServices();
    const made = await testers.create({
      act: (task, count) =>
        ownTask(task).startsWith("Navigate")
          ? [
              call("browser_navigate", { url: `${url}/service/1` }),
              call("browser_take_screenshot", { question: "Is the page of service 1 shown?" }),
            ][count]
          : [call("browser_snapshot", {})][count],
      see: () => 'Yes, it says "Service 1 is up".',
      say: (task) => (ownTask(task).startsWith("Navigate") ? "RESULT: PASS\nSUMMARY: The page is shown with its heading." : PASS),
      settings: "visionModel: local/eyes\n",
    });
    await put(
      made,
      "service.yaml",
      'title: A service is up\nsteps:\n  - { action: Navigate to the page of service 1, expected: It says "Service 1 is up" }\n  - { action: Read it, expected: { check: text, in: heading, equals: Service 1 is up } }\n',
    );
    const feed = await followLog(made);
    const ended = await callRetinue(made.project, ["test", "service.yaml", "--var", `baseUrl=${url}`]);
    expect(ended.code, ended.stderr + ended.stdout).toBe(0);
    const log = ended.stderr.split("\n").filter((line) => /^ {0,2}\[(?:Orchestrator|Sub-agent|Runner)\]/.test(line));
    expect(log).toEqual([
      "[Orchestrator] Planning: decomposed test case into 2 sub-tasks",
      "[Orchestrator] Sub-task 1/2: Navigate to the page of service 1",
      `  [Sub-agent] browser_navigate(url="${url}/service/1")`,
      '  [Sub-agent] browser_take_screenshot(question="Is the page of service 1 shown?")',
      "  [Sub-agent] RESULT: PASS — The page is shown with its heading.",
      "[Orchestrator] Sub-task 2/2: Read it",
      "  [Sub-agent] browser_snapshot()",
      "  [Sub-agent] RESULT: PASS — It was seen.",
      '  [Runner] held: the text of heading is "Service 1 is up"',
      "[Orchestrator] Verdict: PASS — The end.",
    ]);
    await expect.poll(feed.isOver).toBe(true);
    expect(feed.lines()).toEqual(log);
  },
);
