/** One of the sweeps that `npm run sweep` makes: a short form for every change, a full one for the whole of it. */
import type { OwnedGround } from "../sweep-ground.ts";

export type FormOptions = {
  readonly full: boolean;
  readonly seed: number;
  /** Made when the first form asks for it; all of them share it. */
  readonly ground: () => Promise<OwnedGround>;
  readonly signal: AbortSignal;
  /** Tells whoever waits how far it is. */
  readonly progress: (text: string) => void;
};

/** What one part of a form came to. */
export type Outcome = {
  readonly title: string;
  /** In one line. */
  readonly figures: string;
  readonly findings: readonly string[];
};

export type Form = {
  /** By which it is chosen with `--only`. */
  readonly name: string;
  readonly about: string;
  readonly run: (options: FormOptions) => AsyncGenerator<Outcome>;
};
