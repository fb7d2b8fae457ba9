/** What a model is told of the throw-away copy that its command worked in: what is gone with it, and what was not taken over. Nothing where nothing was written. */
import type { CopyOutcome } from "@retinue/confine";
import { escapeName } from "@retinue/confine";
import { toNames } from "./name-list.ts";

const MOST_REASONS = 5;

export const describeCopy = ({ dropped, deleted, left, failure }: CopyOutcome): readonly string[] => [
  ...(dropped.length === 0
    ? []
    : [`written to a throw-away copy of the workspace, since this agent may not write it, and gone now: ${toNames(dropped)}`]),
  ...(deleted.length === 0 ? [] : [`deleted: ${toNames(deleted)}`]),
  ...left.slice(0, MOST_REASONS).map(({ path, reason }) => `not taken over: ${escapeName(path)} (${reason})`),
  ...(left.length > MOST_REASONS ? [`not taken over either: ${toNames(left.slice(MOST_REASONS).map(({ path }) => path))}`] : []),
  ...(failure === undefined ? [] : [`nothing that it wrote was taken over: ${failure}`]),
];
