/** What tools hold open: who opens it, who shares it, and that it is closed however the run ends. */
import type { ScriptedTurn } from "@retinue/model/testing";
import type { RecordedEvent } from "@retinue/protocol";
import type { ManualClock, ModelRequest, OpenContext, ResourceOptions } from "@retinue/runtime";
import { createManualClock, defineResource, defineTool } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { EngineOptions } from "./contract.ts";
import { IDLE_MS } from "./embedded/session-shelves.ts";
import type { TestEngineOptions } from "./testing/test-engine.ts";
import { askedOf, createTestEngine, cutLog, delegateTo, testAgent } from "./testing/test-engine.ts";
import { verifyReplay } from "./replay/verify-replay.ts";

type Page = { readonly number: number };

/** A browser that writes down what is done with it. */
const createBrowser = (more: Partial<ResourceOptions<Page>> = {}) => {
  const done: string[] = [];
  const contexts: OpenContext[] = [];
  let pages = 0;
  const resource = defineResource<Page>({
    name: "browser",
    per: "run",
    open: async (context) => {
      contexts.push(context);
      const number = ++pages;
      done.push(`open ${number}`);
      return { number };
    },
    close: async ({ number }) => void done.push(`close ${number}`),
    ...more,
  });
  const visit = defineTool({
    name: "visit",
    description: "Visits a page.",
    input: z.object({ url: z.string() }),
    effect: "read",
    resource,
    execute: ({ url }, _context, { number }) => {
      done.push(`${url} on ${number}`);
      return `${url} on page ${number}`;
    },
  });
  const click = defineTool({
    name: "click",
    description: "Clicks.",
    input: z.object({}),
    effect: "read",
    resource,
    execute: (_input, _context, { number }) => `clicked on page ${number}`,
  });
  return { resource, tools: [visit, click], done, contexts };
};

const visiting = (...urls: readonly string[]): ScriptedTurn => ({
  toolCalls: urls.map((url) => ({ tool: "visit", input: { url }, callId: `to-${url}` })),
});

const TOOLS = ["visit", "click", "act"];

const setUp = (
  browser: ReturnType<typeof createBrowser>,
  turns: Readonly<Record<string, readonly ScriptedTurn[]>>,
  more: Partial<TestEngineOptions> & { readonly clock?: ManualClock } = {},
) => {
  const { clock = createManualClock(), engine, ...rest } = more;
  const problems: string[] = [];
  const script = (request: ModelRequest, answered: number): ScriptedTurn => {
    const { agent, task } = askedOf(request);
    return turns[`${agent}: ${task}`]?.[answered] ?? { text: `${agent} is done.` };
  };
  const agents = [testAgent("main", { tools: TOOLS, delegates: ["child"] }), testAgent("child", { tools: TOOLS })];
  const ports: Partial<EngineOptions["ports"]> = { clock };
  const made = createTestEngine({
    agents,
    script,
    tools: browser.tools,
    engine: { onProblem: (problem) => problems.push(problem), ...engine },
    ports,
    ...rest,
  });
  return { ...made, clock, problems };
};

const outputs = (events: readonly RecordedEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === "tool.settled" ? event.content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );

/** Lets everything that can happen without a timer happen. */
const settleDown = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe("a resource of a run", () => {
  test("is opened by the first call, shared by calls at the same time and by other tools, and closed before the run settles", async () => {
    const browser = createBrowser({
      close: () =>
        void browser.done.push(
          `close ${log.read("ses_own").some(({ type }) => type === "run.settled") ? "after" : "before"} the end`,
        ),
    });
    const { start, log } = setUp(browser, {
      "main: go": [visiting("a", "b"), { toolCalls: [{ tool: "click", input: {}, callId: "c" }] }],
    });
    const run = await start("go", { newSessionId: "ses_own" });
    await run.result;
    expect(browser.done).toEqual(["open 1", "a on 1", "b on 1", "close before the end"]);
    expect(outputs(log.read(run.sessionId))).toEqual(["a on page 1", "b on page 1", "clicked on page 1"]);
    expect(browser.contexts).toMatchObject([{ sessionId: run.sessionId, runId: run.runId, workspace: "/work" }]);
    expect((await run.result).warnings).toEqual([]);
  });

  test("is not opened where no tool that needs it is called", async () => {
    const browser = createBrowser();
    const { start } = setUp(browser, { "main: go": [{ toolCalls: [{ tool: "act", input: { what: "x" } }] }] });
    await (
      await start("go")
    ).result;
    expect(browser.done).toEqual([]);
  });

  test("is one for each run: a sub-agent has its own, closed when the sub-agent is done", async () => {
    const browser = createBrowser();
    const { start } = setUp(browser, {
      "main: go": [visiting("a"), { toolCalls: [delegateTo("child", "look")] }, visiting("c")],
      "child: look": [visiting("b")],
    });
    await (
      await start("go")
    ).result;
    expect(browser.done).toEqual(["open 1", "a on 1", "open 2", "b on 2", "close 2", "c on 1", "close 1"]);
  });

  test("that cannot be opened is a typed error that the model reads, and the next call tries again", async () => {
    let tries = 0;
    const browser = createBrowser({
      open: () => {
        tries += 1;
        if (tries === 1) throw new Error("no display");
        return { number: tries };
      },
    });
    const { start, log } = setUp(browser, { "main: go": [visiting("a"), visiting("b")] });
    const run = await start("go");
    expect((await run.result).status).toBe("completed");
    const settled = log.read(run.sessionId).filter((event) => event.type === "tool.settled");
    expect(settled).toMatchObject([
      {
        outcome: "error",
        error: { code: "tool_open_failed", message: '"visit" was not called: browser could not be opened: no display' },
      },
      { outcome: "ok" },
    ]);
    expect(browser.done).toEqual(["b on 2", "close 2"]);
  });

  test("is closed when the run is cancelled in the middle of a call", async () => {
    const begun = Promise.withResolvers<void>();
    const browser = createBrowser();
    const wait = defineTool({
      name: "visit",
      description: "Waits for ever.",
      input: z.object({ url: z.string() }),
      effect: "read",
      resource: browser.resource,
      execute: (_input, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")));
          begun.resolve();
        }),
    });
    const { start } = setUp({ ...browser, tools: [wait] }, { "main: go": [visiting("a")] });
    const run = await start("go");
    await begun.promise;
    run.cancel();
    expect((await run.result).status).toBe("cancelled");
    expect(browser.done).toEqual(["open 1", "close 1"]);
  });

  test("that is still being opened when the run is cancelled is told so, and closed when it is open", async () => {
    const opening = Promise.withResolvers<Page>();
    const asked = Promise.withResolvers<AbortSignal>();
    const browser = createBrowser({ open: ({ signal }) => (asked.resolve(signal), opening.promise) });
    const { start, clock } = setUp(browser, { "main: go": [visiting("a")] });
    const run = await start("go");
    const signal = await asked.promise;
    run.cancel();
    await settleDown();
    // The call does not stop by itself: it is left behind.
    clock.advance(3_000);
    await settleDown();
    expect(signal.aborted).toBe(true);
    opening.resolve({ number: 7 });
    expect((await run.result).status).toBe("cancelled");
    expect(browser.done).toEqual(["close 7"]);
  });

  test("is closed when the run parks, and opened anew when the run goes on", async () => {
    const browser = createBrowser();
    const { start, engine } = setUp(
      browser,
      { "main: go": [visiting("a"), { toolCalls: [{ tool: "act", input: { what: "x" }, callId: "act" }] }, visiting("b")] },
      { grant: { approve: "ask" }, engine: { unattended: "park" } },
    );
    const run = await start("go");
    expect((await run.outcome).type).toBe("parked");
    expect(browser.done).toEqual(["open 1", "a on 1", "close 1"]);
    const [asked] = await engine.approvals();
    await engine.answer(asked?.approvalId ?? "apr_none", { allowed: true });
    expect((await run.result).status).toBe("completed");
    expect(browser.done.slice(3)).toEqual(["open 2", "b on 2", "close 2"]);
  });

  test("is closed when the engine is closed while a call is under way, in the main run and below it", async () => {
    const browser = createBrowser();
    const begun = Promise.withResolvers<void>();
    const { start, engine } = setUp(browser, {
      "main: go": [visiting("a"), { toolCalls: [delegateTo("child", "look")] }],
      "child: look": [visiting("b"), { before: async () => (begun.resolve(), new Promise(() => undefined)), text: "Never." }],
    });
    const run = await start("go");
    await begun.promise;
    await engine.close();
    await expect(run.result).rejects.toMatchObject({ code: "run_left_open" });
    expect(browser.done).toEqual(["open 1", "a on 1", "open 2", "b on 2", "close 2", "close 1"]);
  });

  test("is opened anew by whoever resumes a run whose process died", async () => {
    const browser = createBrowser();
    const turns = { "main: go": [visiting("a"), visiting("b")] };
    const first = setUp(browser, turns);
    const run = await first.start("go");
    await run.result;
    const log = cutLog(first.log, run.sessionId, (event) => event.type === "tool.settled");
    const second = createBrowser();
    const resumed = await setUp(second, turns, { log }).engine.resume(run.runId);
    expect((await resumed.result).status).toBe("completed");
    expect(second.done).toEqual(["open 1", "b on 1", "close 1"]);
  });

  test("that does not close is left behind after its time, and the result tells; a replay finds no difference", async () => {
    const closing = Promise.withResolvers<void>();
    const browser = createBrowser({
      closeMs: 2_000,
      close: () => {
        closing.resolve();
        return new Promise<void>(() => undefined);
      },
    });
    const { start, clock, log, engine } = setUp(browser, { "main: go": [visiting("a")] });
    const run = await start("go");
    await closing.promise;
    clock.advance(2_000);
    const { status, warnings, durationMs } = await run.result;
    expect({ status, warnings }).toEqual({
      status: "completed",
      warnings: ["Left open: browser was not closed after 2000 ms and is left behind."],
    });
    // Closing is none of the agent's time.
    expect(durationMs).toBe(0);
    expect((await verifyReplay(log.read(run.sessionId), engine.toolsFor)).divergence).toBeNull();
  });

  test("that fails to close is told in the result", async () => {
    const browser = createBrowser({ close: () => Promise.reject(new Error("it crashed")) });
    const { start } = setUp(browser, { "main: go": [visiting("a")] });
    expect((await (await start("go")).result).warnings).toEqual(["Left open: browser could not be closed: it crashed"]);
  });

  test("that does not close when the engine is closed holds it up no longer than its time, and is told", async () => {
    const browser = createBrowser({ close: () => new Promise<void>(() => undefined) });
    const begun = Promise.withResolvers<void>();
    const { start, engine, clock, problems } = setUp(browser, {
      "main: go": [visiting("a"), { before: async () => (begun.resolve(), new Promise(() => undefined)), text: "Never." }],
    });
    const run = await start("go");
    await begun.promise;
    const closed = engine.close();
    await settleDown();
    clock.advance(5_000);
    await closed;
    expect(problems).toEqual([`${run.runId}: Left open: browser was not closed after 5000 ms and is left behind.`]);
  });
});

describe("a resource of a session", () => {
  const turns = {
    "main: go": [visiting("a"), { toolCalls: [delegateTo("child", "look")] }],
    "child: look": [visiting("b")],
  };

  test("is shared by all runs and turns of the session, and closed when the engine is", async () => {
    const browser = createBrowser({ per: "session" });
    const script = (request: ModelRequest, answered: number): ScriptedTurn => {
      const { agent } = askedOf(request);
      if (agent === "child") return answered === 0 ? visiting("b") : { text: "Looked." };
      if (answered === 0) return visiting("a");
      if (answered === 1) return { toolCalls: [delegateTo("child", "look")] };
      if (answered === 3) return visiting("c");
      return { text: "Done." };
    };
    const { start, engine } = setUp(browser, {}, { script });
    const first = await start("go");
    await first.result;
    expect(browser.done).toEqual(["open 1", "a on 1", "b on 1"]);
    expect(browser.contexts).toMatchObject([{ sessionId: first.sessionId, runId: null, workspace: "/work" }]);
    await (
      await start("more", { sessionId: first.sessionId })
    ).result;
    expect(browser.done.slice(3)).toEqual(["c on 1"]);
    await engine.close();
    expect(browser.done.slice(4)).toEqual(["close 1"]);
  });

  test("is not shared with another session", async () => {
    const browser = createBrowser({ per: "session" });
    const { start, engine } = setUp(browser, turns);
    await (
      await start("go")
    ).result;
    await (
      await start("go")
    ).result;
    expect(browser.done.filter((line) => line.startsWith("open"))).toEqual(["open 1", "open 2"]);
    await engine.close();
    expect(browser.done.filter((line) => line.startsWith("close")).toSorted()).toEqual(["close 1", "close 2"]);
  });

  test("is closed when no turn has come for a while", async () => {
    const browser = createBrowser({ per: "session" });
    const { start, clock } = setUp(browser, turns);
    await (
      await start("go")
    ).result;
    clock.advance(IDLE_MS - 1);
    await settleDown();
    expect(browser.done).toEqual(["open 1", "a on 1", "b on 1"]);
    clock.advance(1);
    await settleDown();
    expect(browser.done.at(-1)).toBe("close 1");
  });

  test("is closed when the main run parks", async () => {
    const browser = createBrowser({ per: "session" });
    const { start } = setUp(
      browser,
      { "main: go": [visiting("a"), { toolCalls: [{ tool: "act", input: { what: "x" }, callId: "act" }] }] },
      { grant: { approve: "ask" }, engine: { unattended: "park" } },
    );
    const run = await start("go");
    expect((await run.outcome).type).toBe("parked");
    expect(browser.done).toEqual(["open 1", "a on 1", "close 1"]);
  });
});

describe("a resource of a session whose main run parks while a sub-agent works in the background", () => {
  const begin = async () => {
    const gate = Promise.withResolvers<void>();
    const browser = createBrowser({ per: "session" });
    const made = setUp(
      browser,
      {
        "main: go": [
          {
            toolCalls: [
              delegateTo("child", "look", { background: true }),
              { tool: "act", input: { what: "it" }, callId: "asked" },
            ],
          },
        ],
        "child: look": [visiting("a"), { ...visiting("b"), before: () => gate.promise }],
      },
      { grant: { approve: "ask" }, engine: { unattended: "park" } },
    );
    const run = await made.start("go");
    expect(await run.outcome).toMatchObject({ type: "parked" });
    await settleDown();
    return { ...made, browser, run, gate };
  };

  test("stays open as long as the sub-agent works, and is closed when nothing of the session is at work", async () => {
    const { browser, gate } = await begin();
    expect(browser.done).toEqual(["open 1", "a on 1"]);
    gate.resolve();
    await settleDown();
    expect(browser.done).toEqual(["open 1", "a on 1", "b on 1", "close 1"]);
  });

  test("is closed with the engine", async () => {
    const { browser, engine } = await begin();
    await engine.close();
    expect(browser.done).toEqual(["open 1", "a on 1", "close 1"]);
  });
});
