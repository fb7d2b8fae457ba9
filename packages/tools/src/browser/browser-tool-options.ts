/** What the tools of the browser share. */
import type { Resource } from "@retinue/runtime";
import type { BrowserSession } from "./browser-session.ts";

export type BrowserToolOptions = {
  readonly browser: Resource<BrowserSession>;
  /** Answers questions about screenshots; without it the agent's own model, if it reads images. */
  readonly visionModel: string | undefined;
};
