/** A hole as data: what is taken out of the product's text, and in which trials it is met. */
import type { FindingKind } from "./finding.ts";
import type { Theme } from "./grammar/commands.ts";
import type { TrialKind } from "./plan-trial.ts";

export type Edit = { readonly file: string; readonly from: string; readonly to: string };

export type Hole = {
  readonly name: string;
  /** What is then possible. */
  readonly what: string;
  readonly finds: FindingKind;
  /** In which trials it is met. */
  readonly kind: TrialKind;
  /** What the commands of these trials are about. */
  readonly theme: Theme;
  /** It is one for an ordinary user: root may look into everything. */
  readonly asUser?: true;
  /** It is one for root alone, and nothing can be found by others. */
  readonly ofRoot?: true;
  /** One whose first trials meet it. */
  readonly seed: number;
  readonly edits: readonly Edit[];
};

/** A change in a file of a package. */
export const edit = (file: string, from: string, to: string): Edit => ({ file: `packages/${file}`, from, to });
