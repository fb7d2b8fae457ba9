/**
 * What a workspace needs besides its own to run test cases in it, and what runs them there: the agents and checks of cases, a browser, screens, and an approver that
 * lets a case type the secrets that it names.
 */
import type { Approver } from "@retinue/engine";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { LoadedCase } from "@retinue/qa";
import { desktopOf } from "@retinue/qa";
import type { AnyTool, Tool } from "@retinue/runtime";
import type { ShellInput } from "@retinue/tools";
import { createCommandCheckTool } from "@retinue/tools";
import type { Workspace } from "../host/workspace.ts";
import type { CaseBrowsers, CaseBrowsersOptions } from "./case-browsers.ts";
import { createCaseBrowsers } from "./case-browsers.ts";
import { createCaseDesktops } from "./case-desktops.ts";
import { createCaseSecrets } from "./case-secrets.ts";
import { createQaPorts } from "./create-qa-ports.ts";
import { createQaAgents } from "./qa-agents.ts";
import type { TestRun } from "./run-tests.ts";

export type TestBench = {
  /** To open the workspace with. */
  readonly more: {
    readonly agents: readonly AgentDefinition[];
    readonly tools: readonly AnyTool[];
    readonly browser: true;
    readonly desktop?: true;
  };
  /** Answers what it can itself; the rest is asked, or denied where nobody can be. */
  readonly approver: (ask: Approver | undefined) => Approver;
  /** Once the workspace is open. */
  readonly begin: (
    workspace: Pick<Workspace, "browsers" | "desktops" | "events" | "folder" | "executePlan" | "planTestCase" | "run" | "tools">,
    options: BeginOptions,
  ) => Pick<TestRun, "keepRecordings" | "logIn" | "needDesktop" | "needSecrets" | "ports">;
};

export type TestBenchOptions = {
  readonly cases: readonly LoadedCase[];
  /** What browsers record; nothing by default. */
  readonly record?: CaseBrowsersOptions["record"];
};

export type BeginOptions = {
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
  /** Throws where nobody has agreed to start this command line on the screen of a case. */
  readonly agree: (command: string) => Promise<void>;
  readonly keep: CaseBrowsersOptions["keep"];
};

const NOTHING: CaseBrowsersOptions["record"] = { trace: "off", video: "off" };

export const createTestBench = ({ cases, record = NOTHING }: TestBenchOptions): TestBench => {
  let opened: Pick<Workspace, "tools"> | undefined;
  let browsers: CaseBrowsers | undefined;
  const shell = (): Tool<ShellInput> => {
    const tool = opened?.tools.get("shell");
    if (!tool) throw new RetinueError("tool_failed", "There is no shell here, so that no command can be checked.");
    return tool as Tool<ShellInput>;
  };
  return {
    more: {
      agents: createQaAgents(),
      tools: [createCommandCheckTool(shell)] as readonly AnyTool[],
      browser: true,
      ...(cases.some((loaded) => desktopOf(loaded)) ? { desktop: true } : {}),
    },
    approver: (ask) => async (request, signal) => {
      if (browsers?.allows(request) === true) return { allowed: true };
      return ask ? ask(request, signal) : { allowed: false, reason: "Nobody is there to be asked." };
    },
    begin: (workspace, { signal, env, agree, keep }) => {
      opened = workspace;
      const secrets = createCaseSecrets(workspace.folder, env);
      const screens = createCaseDesktops(workspace.desktops, { agree, secretsOf: secrets.valuesOf });
      const own = createCaseBrowsers({
        browsers: workspace.browsers,
        ports: () => ports,
        signal,
        hasScreen: screens.has,
        secretsOf: secrets.valuesOf,
        record,
        keep,
      });
      browsers = own;
      const ports = createQaPorts({
        workspace,
        configureBrowser: own.configure,
        configureDesktop: screens.configure,
        browserProblems: own.problems,
      });
      return {
        ports,
        logIn: own.logIn,
        needSecrets: secrets.need,
        needDesktop: screens.need,
        keepRecordings: own.keepRecordings,
      };
    },
  };
};
