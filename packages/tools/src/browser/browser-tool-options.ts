/** What the tools of the browser share. */
import type { RunIdentity } from "@retinue/protocol";
import type { Resource } from "@retinue/runtime";
import type { BrowserSession } from "./browser-session.ts";

export type BrowserToolOptions = {
  readonly browser: Resource<BrowserSession>;
  /** Answers questions about screenshots; without it the agent's own model, if it reads images. */
  readonly visionModel: string | undefined;
  /** The address of the page that a run's session shows now; undefined where it shows none. */
  readonly addressOf: (run: RunIdentity | undefined) => string | undefined;
  /** Origins that a secret is for, by its name. */
  readonly secretOrigins: Readonly<Record<string, readonly string[]>>;
};
