/** What a victim is told on its command line, as one argument of JSON. */
import type { ScenarioName } from "./scenarios.ts";

/**
 * Planted faults, to prove that a sweep sees what it looks for. `repeated-writes`: writes are declared repeatable, so that a resumed run
 * makes them again. `early-acknowledgement`: events are acknowledged before the log has them. The others are changes
 * of what a resumed process reads of the record: with `renamed-delegations` the calls that started runs have other ids, with
 * `forgotten-work` the runs below were requested and did nothing, with `forgotten-questions` nobody was asked, and with
 * `forgotten-spending` no answer has used anything.
 */
export type Plant =
  | "repeated-writes"
  | "early-acknowledgement"
  | "renamed-delegations"
  | "forgotten-work"
  | "forgotten-questions"
  | "forgotten-spending";

export type VictimOrder = {
  /** Holds everything that the victim writes. */
  readonly folder: string;
  readonly scenario: ScenarioName;
  readonly synchronous?: "NORMAL" | "FULL";
  /** The record is in this database; a file of SQLite in the folder by default. */
  readonly postgres?: { readonly url: string; readonly schema: string };
  readonly plant?: Plant;
  /** It kills itself at this point of its own counter. */
  readonly killAt?: number;
  /** The log refuses this one of its writes, as if there were no space. */
  readonly failAt?: number;
  /** Locks of git stand in the repository of the workspace from the start, as a git that was killed leaves them. */
  readonly gitLocks?: boolean;
  /** How long the model takes for each answer. */
  readonly latencyMs?: number;
};
