/** `retinue plan …` on the command line. */
import type { PlanOptions } from "../plan/plan-options.ts";
import type { PlanShowOptions } from "../plan/plan-show-command.ts";
import type { Registrar } from "./registrar.ts";
import { collect, withWorkspace } from "./session-flags.ts";

const EXAMPLE = `
Examples:
  retinue plan "add JWT authentication" --research
  retinue plan run latest
  retinue plan "add JWT authentication" --execute --approve workspace

Exit codes of a plan that was carried out: 0 passed, 1 failed.
`;

export const registerPlan = ({ program, surroundings, act }: Registrar): void => {
  const plan = withWorkspace(
    program
      .command("plan")
      .description("make a plan for a goal, and carry plans out")
      .argument("[goal...]", "what is to be achieved; - or nothing reads standard input")
      .option("--execute", "carry it out, once it is approved")
      .option("--approve [mode]", "approve the plan; with ask, read-only, workspace or all also what its steps do")
      .option("--research", "have the workspace explored first")
      .option("--one-by-one", "steps in the order of the list, one at a time")
      .option("--out <file>", "write the plan to this file, too")
      .option("-m, --model <name>", "provider/model, or a name from models")
      .option("--limit <key=value>", "a limit of the run; may be given several times", collect)
      .option("--json", "print the plan, or the events of its steps, as JSON")
      .helpCommand("help [command]", "show help for a command")
      .addHelpText("after", EXAMPLE),
    "the folder to work in",
  ).action((goal: string[], options: PlanOptions) =>
    act(async () => {
      const { planCommand } = await import("../plan/plan-command.ts");
      return planCommand(goal, options, surroundings);
    }),
  );

  withWorkspace(plan.command("run").argument("<plan>", "a file, a session, or latest"), "the folder to work in")
    .description("carry out a plan")
    .option("--approve [mode]", "without being asked; with ask, read-only, workspace or all also what its steps do")
    .option("--one-by-one", "steps in the order of the list, one at a time")
    .option("-m, --model <name>", "provider/model, or a name from models")
    .option("--limit <key=value>", "a limit of the run; may be given several times", collect)
    .option("--json", "print events as JSON lines")
    .action((name: string, _options: PlanOptions, command: { readonly optsWithGlobals: () => PlanOptions }) =>
      act(async () => {
        const { planRunCommand } = await import("../plan/plan-command.ts");
        return planRunCommand(name, command.optsWithGlobals(), surroundings);
      }),
    );

  withWorkspace(plan.command("show").argument("<plan>", "a file, a session, or latest"), "the folder whose sessions are meant")
    .description("a plan, with what became of its steps")
    .option("--json", "print one JSON object")
    .action((name: string, _options: PlanShowOptions, command: { readonly optsWithGlobals: () => PlanShowOptions }) =>
      act(async () => {
        const { planShowCommand } = await import("../plan/plan-show-command.ts");
        return planShowCommand(name, command.optsWithGlobals(), surroundings);
      }),
    );

  withWorkspace(plan.command("edit").argument("<plan>", "a file, a session, or latest"), "the folder whose sessions are meant")
    .description("open a plan in your editor and check it; a plan of a session becomes a file")
    .option("--out <file>", "where it is written")
    .action((name: string, _options: PlanShowOptions, command: { readonly optsWithGlobals: () => PlanShowOptions }) =>
      act(async () => {
        const { planEditCommand } = await import("../plan/plan-show-command.ts");
        return planEditCommand(name, command.optsWithGlobals(), surroundings);
      }),
    );
};
