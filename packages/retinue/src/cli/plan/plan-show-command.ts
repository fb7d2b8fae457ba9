/** `retinue plan show` and `retinue plan edit`. */
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { StepState } from "@retinue/protocol";
import { planToMarkdown } from "@retinue/runtime";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import { toWorkspace, type SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { findPlan, parsePlan } from "./plan-file.ts";

export type PlanShowOptions = Pick<SessionOptions, "workspace"> & { readonly json?: boolean; readonly out?: string };

export const planShowCommand = async (name: string, options: PlanShowOptions, surroundings: Surroundings): Promise<number> => {
  const { stdout, redact } = surroundings;
  const { plan, steps } = await findPlan(name, options, surroundings);
  const states = new Map<string, StepState>([...steps].map(([id, { state }]) => [id, state]));
  const shown =
    options.json === true
      ? toJsonLine({ ...plan, states: Object.fromEntries(states) }, redact)
      : toPrintable(redact(planToMarkdown(plan, states)), "prose");
  await stdout.write(`${shown}\n`);
  return EXIT.done;
};

/** Opens the plan in `$VISUAL` or `$EDITOR`, and says what is wrong with what was written. A plan of a session becomes a file. */
export const planEditCommand = async (name: string, options: PlanShowOptions, surroundings: Surroundings): Promise<number> => {
  const { stderr, env } = surroundings;
  const { plan, file: known } = await findPlan(name, options, surroundings);
  const file = options.out ?? known ?? path.join(toWorkspace(options), `${toFileName(plan.goal)}.plan.md`);
  if (file !== known)
    await writeFile(file, `${planToMarkdown(plan)}\n`, { flag: options.out === undefined ? "wx" : "w" }).catch(onTaken(file));
  const editor = env["VISUAL"] ?? env["EDITOR"];
  if (editor === undefined || editor.trim() === "") {
    await stderr.write(
      `retinue: the plan is in ${file}; change it there (set EDITOR to have it opened), then retinue plan run ${file}.\n`,
    );
    return EXIT.done;
  }
  await openEditor(editor, file);
  // Told now, and not when it is to be carried out.
  const edited = parsePlan(await readFile(file, "utf8"));
  await stderr.write(`retinue: ${file} is a plan of ${edited.steps.length} steps; retinue plan run ${file} carries it out.\n`);
  return EXIT.done;
};

const toFileName = (goal: string): string =>
  goal
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40) || "plan";

const onTaken =
  (file: string) =>
  (cause: unknown): never => {
    throw new RetinueError("usage", `${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, {
      hint: "Name another file with --out, or edit this one.",
      cause,
    });
  };

const openEditor = (editor: string, file: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const [program = "", ...words] = editor.trim().split(/\s+/);
    const child = spawn(program, [...words, file], { stdio: "inherit" });
    child.once("error", (cause) =>
      reject(
        new RetinueError("usage", `The editor ${program} cannot be started.`, { hint: "Set EDITOR to one that can.", cause }),
      ),
    );
    child.once("exit", (code) =>
      code === 0
        ? resolve()
        : reject(new RetinueError("usage", `The editor ended with ${code ?? "a signal"}; the plan stays as it is in ${file}.`)),
    );
  });
