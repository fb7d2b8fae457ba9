/** The commands of `retinue`, one line each; how a command looks on the command line stands in `register/`. */
import { RetinueError } from "@retinue/protocol";
import { Command, CommanderError } from "commander";
import { EXIT } from "./exit-code.ts";
import { registerApprovals } from "./register/register-approvals.ts";
import { registerAgents } from "./register/register-agents.ts";
import { registerChat } from "./register/register-chat.ts";
import { addExamples } from "./register/examples.ts";
import { registerCompletion } from "./register/register-completion.ts";
import { registerDoctor } from "./register/register-doctor.ts";
import { registerDocuments } from "./register/register-documents.ts";
import { registerInit } from "./register/register-init.ts";
import { registerPlan } from "./register/register-plan.ts";
import { registerReach } from "./register/register-reach.ts";
import { registerReplay } from "./register/register-replay.ts";
import { registerRun } from "./register/register-run.ts";
import { registerServe } from "./register/register-serve.ts";
import { registerSessions } from "./register/register-sessions.ts";
import { registerSkills } from "./register/register-skills.ts";
import { registerSpawn } from "./register/register-spawn.ts";
import { registerStats } from "./register/register-stats.ts";
import { registerTest } from "./register/register-test.ts";
import { registerTrust } from "./register/register-trust.ts";
import type { Registrar } from "./register/registrar.ts";
import type { Surroundings } from "./surroundings.ts";
import { readVersion } from "./version.ts";

const AFTER_HELP = `
Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 stopped by a limit,
4 waits for an approval, 130 cancelled by Ctrl-C. Left open, to be resumed: 143
by SIGTERM, 129 by SIGHUP, 141 if the reader of the output went away.

Settings: retinue.yaml in the project over ~/.retinue/retinue.yaml, RETINUE_…
variables over both, options over all. RETINUE_HOME moves ~/.retinue.
RETINUE_DEBUG=1 shows where errors come from.
`;

/** Scripts start `run` again and again; building all the other commands would take longer than all that it reads from its words. */
const isRunAlone = (words: readonly string[]): boolean => words[0] === "run";

const register = (registrar: Registrar, words: readonly string[]): void => {
  registerRun(registrar);
  if (!isRunAlone(words)) registerOthers(registrar);
  addExamples(registrar.program);
};

const registerOthers = (registrar: Registrar): void => {
  registerChat(registrar);
  registerAgents(registrar);
  registerSkills(registrar);
  registerSpawn(registrar);
  registerPlan(registrar);
  registerServe(registrar);
  registerTest(registrar);
  registerSessions(registrar);
  registerApprovals(registrar);
  registerReach(registrar);
  registerReplay(registrar);
  registerStats(registrar);
  registerDocuments(registrar);
  registerTrust(registrar);
  registerDoctor(registrar);
  registerInit(registrar);
  registerCompletion(registrar);
};

/** The commands that the words may mean, all without words; `act` carries one out. Nothing is run by building them. */
export const buildProgram = (
  surroundings: Surroundings,
  act: Registrar["act"],
  write: (text: string) => void,
  words: readonly string[] = [],
): Command => {
  const program = new Command("retinue");
  program
    .description("One main agent and its retinue of sub-agents.")
    .version(readVersion(), "-V, --version", "show the version")
    .helpCommand("help [command]", "show help for a command")
    .addHelpText("after", AFTER_HELP)
    .configureOutput({ writeOut: write, writeErr: () => undefined })
    .exitOverride();
  register({ program, surroundings, act }, words);
  return program;
};

export const runProgram = async (words: readonly string[], surroundings: Surroundings): Promise<number> => {
  let exitCode: number = EXIT.done;
  let output = "";
  const program = buildProgram(
    surroundings,
    async (work) => {
      exitCode = await work();
    },
    (text) => void (output += text),
    words,
  );

  try {
    await program.parseAsync([...words], { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode !== 0) throw new RetinueError("usage", toSentence(thrown.message));
  }
  await surroundings.stdout.write(output);
  return exitCode;
};

/** `error: unknown option '--x'` becomes `Unknown option '--x'.` */
const toSentence = (message: string): string => {
  const text = message.replace(/^error: /, "").trim();
  return text === "" ? "The command line is wrong." : `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[.\n]+$/, "")}.`;
};
