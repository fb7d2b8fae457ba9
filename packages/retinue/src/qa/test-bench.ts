/**
 * What a workspace needs besides its own to run test cases in it, and what runs them there: the agents and checks of cases, a browser, and an approver that
 * lets a case type the secrets that it names.
 */
import type { Approver } from "@retinue/engine";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { QaPorts } from "@retinue/qa";
import type { AnyTool, Tool } from "@retinue/runtime";
import type { ShellInput } from "@retinue/tools";
import { createCommandCheckTool } from "@retinue/tools";
import type { Workspace } from "../host/workspace.ts";
import type { CaseBrowsers } from "./case-browsers.ts";
import { createCaseBrowsers } from "./case-browsers.ts";
import { createQaPorts } from "./create-qa-ports.ts";
import { createQaAgents } from "./qa-agents.ts";

export type TestBench = {
  /** To open the workspace with. */
  readonly more: {
    readonly agents: readonly AgentDefinition[];
    readonly tools: readonly AnyTool[];
    readonly browser: true;
  };
  /** Answers what it can itself; the rest is asked, or denied where nobody can be. */
  readonly approver: (ask: Approver | undefined) => Approver;
  /** Once the workspace is open. */
  readonly begin: (
    workspace: Pick<Workspace, "browsers" | "events" | "executePlan" | "planTestCase" | "run" | "tools">,
    signal: AbortSignal,
  ) => { readonly ports: QaPorts; readonly logIn: CaseBrowsers["logIn"] };
};

export const createTestBench = (): TestBench => {
  let opened: Pick<Workspace, "tools"> | undefined;
  let browsers: CaseBrowsers | undefined;
  const shell = (): Tool<ShellInput> => {
    const tool = opened?.tools.get("shell");
    if (!tool) throw new RetinueError("tool_failed", "There is no shell here, so that no command can be checked.");
    return tool as Tool<ShellInput>;
  };
  return {
    more: { agents: createQaAgents(), tools: [createCommandCheckTool(shell)] as readonly AnyTool[], browser: true },
    approver: (ask) => async (request, signal) => {
      if (browsers?.allows(request) === true) return { allowed: true };
      return ask ? ask(request, signal) : { allowed: false, reason: "Nobody is there to be asked." };
    },
    begin: (workspace, signal) => {
      opened = workspace;
      const own = createCaseBrowsers(workspace.browsers, () => ports, signal);
      browsers = own;
      const ports = createQaPorts({ workspace, configureBrowser: own.configure });
      return { ports, logIn: own.logIn };
    },
  };
};
