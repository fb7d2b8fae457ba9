import type { CheckResult } from "@retinue/protocol/test-case";

/** What one look found. */
export type Seen = {
  readonly status: CheckResult["status"];
  readonly observed: string;
  readonly scoped: boolean;
  readonly evidence?: string | undefined;
};
