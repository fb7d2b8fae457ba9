/** A real browser for tests: the one that is found, with the one of npm unpacked once for all tests of this checkout. */
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import type { Json, RunId, SessionId } from "@retinue/protocol";
import type { ToolContext, ToolOutput } from "@retinue/runtime";
import type { BrowserSession } from "../browser/browser-session.ts";
import type { Browsers, BrowsersOptions } from "../browser/browsers.ts";
import { createBrowsers } from "../browser/browsers.ts";
import { TEST_BROWSER_CACHE } from "./find-test-browser.ts";

export type TestBrowser = {
  readonly browsers: Browsers;
  readonly workspace: TestWorkspace;
  /** Of the session that calls are made in. */
  readonly session: (sessionId?: SessionId) => Promise<BrowserSession>;
  /** What a tool answers, also where it fails. */
  readonly call: (tool: string, input: Json, how?: CallOptions) => Promise<string>;
  readonly callRaw: (tool: string, input: Json, how?: CallOptions) => Promise<ToolOutput>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type CallOptions = { readonly context?: Partial<ToolContext>; readonly sessionId?: SessionId; readonly runId?: RunId };

export type TestBrowserOptions = Partial<BrowsersOptions> & { readonly files?: Readonly<Record<string, string | Buffer>> };

export const openTestBrowser = async ({ files = {}, ...options }: TestBrowserOptions = {}): Promise<TestBrowser> => {
  const workspace = await createTestWorkspace(files);
  const browsers = createBrowsers({ cacheFolder: TEST_BROWSER_CACHE, env: process.env, ...options });
  const held = new Map<SessionId, Promise<BrowserSession>>();
  const [{ resource }] = browsers.tools as [(typeof browsers.tools)[number]];
  if (!resource) throw new Error("the tools of the browser share no resource");
  const session = (sessionId: SessionId = "ses_test"): Promise<BrowserSession> => {
    const known = held.get(sessionId);
    if (known) return known;
    const { workspace: folder, context } = workspace;
    // The resource opens browser sessions.
    const opening = resource.open({
      sessionId,
      runId: null,
      workspace: folder,
      signal: context.signal,
    }) as Promise<BrowserSession>;
    held.set(sessionId, opening);
    return opening;
  };
  const callRaw: TestBrowser["callRaw"] = async (name, input, { context, sessionId = "ses_test", runId = "run_test" } = {}) => {
    const tool = browsers.tools.find((one) => one.name === name);
    if (!tool) throw new Error(`there is no tool ${name}`);
    const scope = { writes: [["**"]], hosts: [["*"]], approve: "all" } as const;
    const run = { ...workspace.context.run, sessionId, runId };
    return tool.execute(tool.input.parse(input), { ...workspace.context, scope, run, ...context }, await session(sessionId));
  };
  return {
    browsers,
    workspace,
    session,
    callRaw,
    call: async (...given) => {
      try {
        return toText(await callRaw(...given));
      } catch (thrown) {
        if (!(thrown instanceof Error) || !("code" in thrown)) throw thrown;
        return `Error (${String(thrown.code)}): ${thrown.message}`;
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const opened of held.values()) await resource.close(await opened);
      await browsers.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
};
