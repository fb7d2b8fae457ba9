// @module-tag long
/** The attack as CI runs it, and each hole that is put back: every one of them has to be found. */
import { probeSandbox } from "@retinue/confine";
import { describe, expect, test } from "vitest";
import { attackInParts } from "./attack-in-parts.ts";
import { HOLES } from "./holes.ts";
import { shortenCalls } from "./shorten-calls.ts";

const machine = await probeSandbox();
/** Calls in one run of CI; `npm run attack` makes as many as it is told. */
const CALLS = 1_000;
const SEED = 20;

const attack = (args: readonly string[], { asUser = false } = {}): ReturnType<typeof attackInParts> =>
  attackInParts([...args, ...(asUser ? ["--user"] : [])]);

if (machine.backend === "none")
  test("without a sandbox there is nothing that could be attacked: commands are refused", () => {
    expect(machine.reason).not.toBe("");
  });
else {
  test(
    `${CALLS} calls of a hostile model read nothing out, change nothing outside, leave no process and reach nobody`,
    { timeout: 3_600_000 },
    async () => {
      const { exitCode, output } = await attack(["--calls", String(CALLS), "--seed", String(SEED)]);
      expect(output).toContain(`seed ${SEED}`);
      expect(output).toMatch(new RegExp(`^(?:all together: )?${CALLS} calls in \\d+ s: 0 found$`, "m"));
      expect(exitCode).toBe(0);
    },
  );

  describe("an attack finds", () => {
    test.each(HOLES.map((hole) => [hole.what, hole] as const))(
      "%s",
      { timeout: 1_200_000 },
      async (_what, { name, finds, kind, asUser = false, ofRoot = false }) => {
        // Who wins a race is for the machine to say: it is tried more often.
        const args = ["--hole", name, "--calls", kind === "race" ? "240" : "120", "--calls-per-trial", "12", "--reruns", "0"];
        const isNone = ofRoot && process.getuid?.() !== 0;
        const found = isNone ? /: 0 found$/m : new RegExp(`^${finds}: `, "m");
        let ended = await attack(args, { asUser });
        for (const seed of kind === "race" ? ["71", "72", "73", "74", "75", "76"] : [])
          if (!found.test(ended.output)) ended = await attack([...args, "--seed", seed], { asUser });
        expect(ended.output).toMatch(found);
        expect(ended.exitCode).toBe(isNone ? 0 : 1);
      },
    );
  });
}

test("a finding is told by the calls that show it and no others", async () => {
  const calls = Array.from({ length: 50 }, (_, at) => at);
  const shortest = await shortenCalls(calls, {
    mostTries: 60,
    likely: 40,
    stillFinds: (fewer) => Promise.resolve(fewer.includes(7) && fewer.includes(31)),
  });
  expect(shortest).toEqual([7, 31]);
});
