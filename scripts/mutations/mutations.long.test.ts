// @module-tag long
/** A few of the planted changes, really planted in a copy of the tree; `npm run mutate` plants all of them. */
import path from "node:path";
import { expect, test } from "vitest";
import { MUTATIONS } from "./planted/index.ts";
import { runMutations } from "./run-mutations.ts";

const CHOSEN: ReadonlySet<string> = new Set(["gate/one-too-many", "purse/settles-twice", "fold/a-refusal-holds-as-a-consent"]);

test("faults that are planted in a copy of the tree are noticed", { timeout: 600_000 }, async () => {
  const mutations = MUTATIONS.filter(({ name }) => CHOSEN.has(name));
  const root = path.dirname(path.dirname(import.meta.dirname));
  const figures = await runMutations({ root, mutations, signal: new AbortController().signal, say: () => undefined });
  expect(figures).toEqual({ tried: CHOSEN.size, noticed: CHOSEN.size, failures: [] });
});
