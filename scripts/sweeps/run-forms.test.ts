import { describe, expect, test } from "vitest";
import type { Form, Outcome } from "./forms/form.ts";
import { FORMS } from "./forms/index.ts";
import { parseSweepArguments } from "./parse-arguments.ts";
import { runForms } from "./run-forms.ts";

const form = (name: string, ...outcomes: readonly Outcome[]): Form => ({
  name,
  about: `Sweeps ${name}.`,
  run: async function* () {
    yield* outcomes;
  },
});

const outcome = (title: string, ...findings: readonly string[]): Outcome => ({ title, figures: "3 trials", findings });

const run = async (forms: readonly Form[], signal = new AbortController().signal) => {
  const said: string[] = [];
  const report = await runForms({ forms, full: false, seed: 1, signal, say: (line) => said.push(line), progress: () => {} });
  return { report, said: said.map((line) => line.replace(/ \d+ s /, " N s ")) };
};

describe("sweeps", () => {
  test("are told one line each, with what they found below, and counted in the last line", async () => {
    const { report, said } = await run([form("one", outcome("a"), outcome("b", "twice at 3: put")), form("two", outcome("c"))]);
    expect(said).toEqual([
      "ok     one: a: 3 trials",
      "FOUND  one: b: 3 trials",
      "         twice at 3: put",
      "ok     two: c: 3 trials",
      "3 sweeps, 1 findings, in N s (short form)",
    ]);
    expect(report).toEqual({ outcomes: 3, findings: 1 });
  });

  test("that cannot be made are a finding, and the others are made", async () => {
    const broken: Form = {
      ...form("broken"),
      run: async function* () {
        yield await Promise.reject(new Error("there is no disk"));
      },
    };
    const { report, said } = await run([broken, form("two", outcome("c"))]);
    expect(said.join("\n")).toContain("there is no disk");
    expect(report).toEqual({ outcomes: 2, findings: 1 });
  });

  test("that are interrupted end with what was found until then, and no more are begun", async () => {
    const stop = new AbortController();
    const interrupted: Form = {
      ...form("interrupted"),
      run: async function* () {
        yield outcome("a", "lost at 1: event 3");
        stop.abort("SIGINT");
        stop.signal.throwIfAborted();
      },
    };
    const { report, said } = await run([interrupted, form("two", outcome("c"))], stop.signal);
    expect(said.at(-1)).toBe("1 sweeps, 1 findings, interrupted after N s (short form)");
    expect(report.findings).toBe(1);
  });
});

describe("the arguments", () => {
  test("choose all sweeps in their short form, the full form, and single ones by name", () => {
    expect(parseSweepArguments([], FORMS)).toMatchObject({ full: false, forms: FORMS });
    expect(parseSweepArguments(["--full"], FORMS)).toMatchObject({ full: true, forms: FORMS });
    const only = parseSweepArguments(["--only", "fault", "--only", "kill", "--seed", "7"], FORMS);
    expect(only).toMatchObject({ seed: 7, forms: [{ name: "kill" }, { name: "fault" }] });
  });

  test.each([
    [["--only", "kil"], "There is no sweep kil."],
    [["--seed", "x"], "The seed x is no whole number."],
    [["--everything"], "--everything"],
    [["--help"], "Usage: npm run sweep"],
  ])("%j are refused with the usage", (args, text) => {
    const parsed = parseSweepArguments(args, FORMS);
    const problem = "problem" in parsed ? parsed.problem : "";
    expect(problem).toContain(text);
    for (const { name } of FORMS) expect(problem).toContain(name);
  });
});
