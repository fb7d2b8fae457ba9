/** What a host hands to each of its workspaces. */
import type { Approver, EngineFloor } from "@retinue/engine";
import type { Model, Models } from "@retinue/model";
import type { InputSource } from "@retinue/protocol";
import type { TrustStore } from "@retinue/confine/trust";
import type { RetinueStore } from "../open-record.ts";
import type { Settings } from "../settings/settings.ts";
import type { GivenModel } from "./workspace.ts";

export type Shared = {
  readonly env: NodeJS.ProcessEnv;
  /** The folder of the user's state. */
  readonly home: string;
  readonly store: RetinueStore;
  readonly trust: TrustStore;
  readonly floor: EngineFloor;
  readonly models: SharedModels;
  readonly model: GivenModel | undefined;
  readonly approver: Approver | undefined;
  readonly source: InputSource | undefined;
  readonly onProblem: ((problem: string) => void) | undefined;
  /** Whether the traffic with providers is recorded or played: then nothing may be asked that differs from one time to the next. */
  readonly isOnTape: boolean;
};

export type ModelSettings = Pick<Settings, "providers" | "models" | "retry" | "streamIdleMs">;

export type SharedModels = {
  /** The models that these settings and this environment give; the same for two workspaces that say the same. */
  readonly modelsOf: (settings: ModelSettings, env: NodeJS.ProcessEnv) => Models;
  /** The name of the best model that can be reached. */
  readonly detect: (settings: ModelSettings, env: NodeJS.ProcessEnv) => Promise<string>;
  /** A model that was given as it is. */
  readonly wrap: (model: Exclude<GivenModel, string>, settings: ModelSettings) => Model;
};
