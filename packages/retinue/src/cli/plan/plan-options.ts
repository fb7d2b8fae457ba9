/** The options of the commands that make and carry out plans. */
import type { SessionOptions } from "../session-options.ts";

export type PlanOptions = Omit<SessionOptions, "agent" | "approve"> & {
  /** The plan is carried out without being asked about; with a mode, also what its steps do is allowed by it. */
  readonly approve?: string | true;
  readonly execute?: boolean;
  readonly research?: boolean;
  readonly oneByOne?: boolean;
  readonly out?: string;
  readonly json?: boolean;
};
