import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PageServer } from "../testing/page-server.ts";
import { servePages } from "../testing/page-server.ts";
import type { TestBrowser } from "../testing/test-browser.ts";
import { openTestBrowser } from "../testing/test-browser.ts";

/** Everything by which a page could reach a host, each by its own path, at the address that the query names. */
const HOSTILE = `<!doctype html><title>Hostile</title><body><script>
const to = new URLSearchParams(location.search).get("to");
const http = "http://" + to, ws = "ws://" + to;
const add = (tag, fields) => document.body.append(Object.assign(document.createElement(tag), fields));
const attempts = [];
const attempt = async (name, work) => { await Promise.race([Promise.resolve().then(work).catch(() => {}), new Promise((late) => setTimeout(late, 2000))]); };
(async () => {
  add("iframe", { src: http + "/iframe" });
  add("img", { src: http + "/image" });
  add("script", { src: http + "/script" });
  add("link", { rel: "stylesheet", href: http + "/style" });
  add("link", { rel: "prefetch", href: http + "/prefetch" });
  add("object", { data: http + "/object" });
  attempts.push(attempt("fetch", () => fetch(http + "/fetch", { mode: "no-cors" })));
  attempts.push(attempt("redirect", () => fetch("/redirect?to=" + to, { mode: "no-cors" })));
  attempts.push(attempt("beacon", () => navigator.sendBeacon(http + "/beacon", "x")));
  attempts.push(attempt("websocket", () => new Promise((done, fail) => { const socket = new WebSocket(ws + "/socket"); socket.onopen = done; socket.onerror = fail; })));
  attempts.push(attempt("events", () => new Promise((done, fail) => { const source = new EventSource(http + "/events"); source.onopen = done; source.onerror = () => { source.close(); fail(); }; })));
  attempts.push(attempt("worker", () => new Promise((done) => { const worker = new Worker("/worker.js?to=" + to); worker.onmessage = done; })));
  attempts.push(attempt("service worker", async () => {
    const { active, installing, waiting } = await navigator.serviceWorker.register("/service-worker.js?to=" + to);
    const worker = active || waiting || installing;
    await new Promise((done) => { if (worker.state === "activated" || worker.state === "redundant") done(); else worker.onstatechange = () => { if (worker.state === "activated" || worker.state === "redundant") done(); }; });
  }));
  attempts.push(attempt("window", () => { window.open(http + "/window"); }));
  attempts.push(attempt("file", () => { window.open("file:///etc/passwd"); window.open("chrome://version"); window.open("view-source:" + http + "/source"); }));
  Object.assign(document.createElement("a"), { href: http + "/download", download: "x", target: "_blank" }).click();
  await Promise.all(attempts);
  document.body.append("all was tried");
})();
</script>`;

const WORKER = `const to = new URL(location.href).searchParams.get("to");`;

let browser: TestBrowser;
let pages: PageServer;
let canary: PageServer;

beforeAll(async () => {
  const script =
    (body: string) =>
    (
      _: unknown,
      response: { writeHead: (status: number, headers: Record<string, string>) => void; end: (text: string) => void },
    ): void => {
      response.writeHead(200, { "content-type": "text/javascript" });
      response.end(`${WORKER}${body}`);
    };
  pages = await servePages({
    "/": "<title>Home</title><h1>Home</h1>",
    "/hostile": HOSTILE,
    "/redirect": (request, response) => {
      const to = new URL(request.url ?? "", "http://x").searchParams.get("to");
      response.writeHead(302, { location: `http://${to}/redirected` }).end();
    },
    "/worker.js": script(
      `fetch("http://" + to + "/worker", { mode: "no-cors" }).then(() => postMessage(1), () => postMessage(0));`,
    ),
    "/service-worker.js": script(
      `self.addEventListener("install", (event) => event.waitUntil(fetch("http://" + to + "/service-worker", { mode: "no-cors" }).catch(() => {})));`,
    ),
  });
  canary = await servePages({});
  browser = await openTestBrowser({ allowHosts: [pages.host] });
});

afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
  await canary[Symbol.asyncDispose]();
});

/** The command lines of the processes that a process has started, and of those that these have. */
const descendantsOf = (pid: number): readonly string[] => {
  const children = new Map<number, { readonly pid: number; readonly line: string }[]>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1]);
      const line = readFileSync(`/proc/${name}/cmdline`, "utf8");
      children.set(parent, [...(children.get(parent) ?? []), { pid: Number(name), line }]);
    } catch {
      // It has ended meanwhile.
    }
  }
  const below = (of: number): readonly string[] => (children.get(of) ?? []).flatMap((child) => [child.line, ...below(child.pid)]);
  return below(pid);
};

const tryAll = async (to: string, sessionId: `ses_${string}`, hosts: readonly (readonly string[])[] = [["*"]]): Promise<void> => {
  const context = { scope: { writes: [], hosts, approve: "all" } } as const;
  await browser.call("browser_navigate", { url: `${pages.url}/hostile?to=${to}` }, { sessionId, context });
  const first = (await browser.session(sessionId)).context.pages()[0];
  await first?.getByText("all was tried").waitFor({ timeout: 20_000 });
  await first?.waitForTimeout(500);
};

describe("D11: a page", () => {
  test("D11: reaches nothing on this machine, by whatever means", async () => {
    await tryAll(`127.0.0.1:${canary.port}`, "ses_refused");
    expect(canary.asked).toEqual([]);
  });

  test(
    "D11: reaches nothing on this machine or in a private network, by whatever means and name",
    { tags: ["long"] },
    async () => {
      const hosts = ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1"];
      await Promise.all(hosts.map((host, index) => tryAll(`${host}:${canary.port}`, `ses_refused${index}`)));
      expect(canary.asked).toEqual([]);
      const { log } = await browser.session("ses_refused0");
      const refused = log.refused.map(({ text }) => text).join("\n");
      expect(refused).toContain(`The browser does not connect to`);
      expect(refused).toContain("127.0.0.1 is an address of this machine");
      expect(log.downloads.length).toBeLessThanOrEqual(1);
    },
  );

  test("D11: reaches by each of these means what the user has allowed, so that the test above would see a hole", async () => {
    browser.browsers.configure("ses_allowed", { allowHosts: [canary.host] });
    await tryAll(canary.host, "ses_allowed");
    expect(canary.asked).toEqual(
      expect.arrayContaining([
        "GET /iframe",
        "GET /image",
        "GET /script",
        "GET /style",
        "GET /fetch",
        "GET /redirected",
        "POST /beacon",
        "UPGRADE /socket",
        "GET /events",
        "GET /worker",
        "GET /service-worker",
        "GET /window",
      ]),
    );
    expect(canary.asked).not.toContain("GET /source");
    const { context } = await browser.session("ses_allowed");
    expect(context.pages().filter((page) => /^(?:file|chrome|view-source):/.test(page.url()))).toEqual([]);
  });

  test("D11: reaches nothing that the grant of the acting run does not name, allowed or not", async () => {
    const before = canary.asked.length;
    browser.browsers.configure("ses_granted", { allowHosts: [canary.host] });
    await tryAll(canary.host, "ses_granted", [["*"], [pages.host]]);
    expect(canary.asked.slice(before)).toEqual([]);
    const { log } = await browser.session("ses_granted");
    expect(log.refused.map(({ text }) => text).join("\n")).toContain("is not among the hosts that this agent may reach");
  });
});

describe("D11: a call", () => {
  test.each([
    ["file:///etc/passwd", "The browser does not open"],
    ["chrome://version", "The browser does not open"],
    ["view-source:http://127.0.0.1/", "The browser does not open"],
    ["javascript:alert(1)", "The browser does not open"],
    ["data:text/html,hello", "The browser does not open"],
    ["http://169.254.169.254/latest/meta-data", "which is not fetched"],
    ["http://[::ffff:127.0.0.1]:8080/", "which is not fetched"],
    ["http://10.0.0.1/", "which is not fetched"],
  ])("D11: does not go to %s", async (url, why) => {
    const said = await browser.call("browser_navigate", { url });
    expect(said).toContain("Error (act_denied)");
    expect(said).toContain(why);
  });

  test("D11: the browser has no debugging port", async () => {
    const { started } = await browser.session();
    // Where there is one, it is named here.
    expect(started.browser.browserType().name()).toBe("chromium");
    // The program that was found may be a script that starts another one.
    const own = descendantsOf(process.pid).filter((line) => line.includes("--host-resolver-rules"));
    expect(own.length, started.found.path).toBeGreaterThan(0);
    expect(own.filter((line) => line.includes("--remote-debugging-port"))).toEqual([]);
  });
});
