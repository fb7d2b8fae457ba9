/** Damages copies of a store's file and asks each of them everything. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sweepCorruptions } from "../../../packages/store/src/testing/sweep-corruptions.ts";
import type { Form } from "./form.ts";

const A_ROUND = 200;

export const CORRUPTION: Form = {
  name: "corruption",
  about: "a store's file is damaged: nothing is read wrong without a word",
  run: async function* ({ full, seed, signal, progress }) {
    const folder = mkdtempSync(path.join(tmpdir(), "retinue-corruptions-"));
    const findings: string[] = [];
    let [detected, harmless, rounds] = [0, 0, 0];
    try {
      for (; rounds < (full ? 5 : 1) && !signal.aborted; rounds += 1) {
        const place = path.join(folder, String(rounds));
        mkdirSync(place);
        const found = await sweepCorruptions({ folder: place, mutations: A_ROUND, seed: seed + rounds });
        detected += found.detected;
        harmless += found.harmless;
        for (const one of found.silent) findings.push(`read wrong without a word: seed ${seed + rounds}, ${one}`);
        for (const one of found.crashed) findings.push(`crashed: seed ${seed + rounds}, ${one}`);
        progress(`damage: ${(rounds + 1) * A_ROUND} kinds`);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    yield {
      title: "a damaged file",
      figures: `${rounds * A_ROUND} kinds of damage, ${detected} detected, ${harmless} harmless`,
      findings,
    };
  },
};
