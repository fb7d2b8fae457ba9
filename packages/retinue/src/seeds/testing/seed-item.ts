/** One thing that a design document asks for: where it says so, in which words, and what holds it to them. */
import type { SeedBench } from "./seed-bench.ts";

export type SeedItem = {
  /** Of the line in the document, from 1. */
  readonly line: number;
  /** A part of that line. */
  readonly words: string;
  /** What is asserted. */
  readonly asserts: string;
  /** Where the specification of the product decides otherwise: a part of its line, in its words. */
  readonly decided?: string;
  readonly check: (bench: SeedBench) => void | Promise<void>;
};

export type Seed = { readonly id: "S0" | "S1" | "S2" | "S3" | "S4"; readonly items: readonly SeedItem[] };

/** Words of the specification where two designs differ. */
export const STRICTER = "where two seeds give a role different numbers the stricter holds";
