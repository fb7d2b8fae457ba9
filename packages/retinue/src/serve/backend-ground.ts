/** What all calls of the server stand on. */
import type { InputSource } from "@retinue/protocol";
import type { Calls } from "@retinue/server";
import type { Host } from "../host/host.ts";
import type { RetinueStore } from "../open-record.ts";
import type { RuleAnswers } from "./rule-answers.ts";
import type { ServedWorkspaces } from "./served-workspaces.ts";
import type { SessionKeeper } from "./session-keeper.ts";
import type { TestRuns } from "./test-runs.ts";

export type BackendGround = {
  readonly host: Host;
  /** The host's own. */
  readonly store: RetinueStore;
  readonly workspaces: ServedWorkspaces;
  readonly tests: TestRuns;
  readonly keeper: SessionKeeper;
  readonly ruleAnswers: RuleAnswers;
  readonly env: NodeJS.ProcessEnv;
  readonly source: InputSource;
};

/** Some of the calls. */
export type SomeCalls<Name extends keyof Calls> = Pick<Calls, Name>;
