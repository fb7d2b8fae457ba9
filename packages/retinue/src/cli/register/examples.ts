/** An example for every command, shown at the end of its help and in the reference. A command that another room adds brings its own by `Example:` in its help. */
import type { Command } from "commander";
import { listCommands } from "../list-commands.ts";

const EXAMPLES: Readonly<Record<string, string>> = {
  run: 'git diff | retinue run "review this change:" -',
  chat: "retinue --approve workspace",
  attach: "retinue attach latest",
  serve: "retinue serve --port 4321",
  test: "retinue test tests/cases --tag smoke --html report.html",
  "test init": "retinue test init",
  "test record": "retinue test record http://127.0.0.1:3000/ --out tests/login.yaml",
  "test report": "retinue test report latest",
  agents: "retinue agents list",
  "agents list": "retinue agents list --json",
  "agents show": "retinue agents show researcher",
  "agents check": "retinue agents check",
  "agents add": "retinue agents add ../claude-plugins",
  "agents remove": "retinue agents remove code-review",
  "agents new": "retinue agents new translator",
  skills: "retinue skills list",
  "skills list": "retinue skills list --json",
  "skills show": "retinue skills show release-notes",
  "skills check": "retinue skills check",
  spawn: 'retinue spawn researcher "where are prices rounded?"',
  fanout: 'retinue fanout researcher "where is X?" reviewer "check src/y.ts"',
  plan: 'retinue plan "add a discount to the cart" --out plan.md',
  "plan run": "retinue plan run plan.md",
  "plan show": "retinue plan show latest",
  "plan edit": "retinue plan edit latest",
  sessions: "retinue sessions list",
  "sessions list": "retinue sessions list --all --json",
  "sessions show": "retinue sessions show latest",
  "sessions search": "retinue sessions search rate limit",
  "sessions export": "retinue sessions export latest > session.json",
  "sessions import": "retinue sessions import session.json",
  "sessions fork": 'retinue sessions fork latest --at 40 "try it without a cache"',
  "sessions resume": "retinue sessions resume latest",
  "sessions delete": "retinue sessions delete ses_0mwjt9",
  "sessions verify": "retinue sessions verify",
  "sessions prune": "retinue sessions prune --keep 100",
  approvals: "retinue approvals list",
  "approvals list": "retinue approvals list --json",
  "approvals answer": "retinue approvals answer apr_1 --allow --resume",
  send: 'retinue send latest "use euros"',
  stop: "retinue stop latest --finish",
  follow: "retinue follow latest --json",
  replay: "retinue replay latest",
  stats: "retinue stats --by model --since 7d",
  documents: "retinue documents list",
  "documents list": "retinue documents list",
  "documents add": "retinue documents add handbook/",
  "documents remove": "retinue documents remove handbook/",
  trust: "retinue trust",
  doctor: "retinue doctor --live",
  init: "retinue init --yes --agent release-notes",
  completion: "retinue completion bash > ~/.local/share/bash-completion/completions/retinue",
};

/** Its help has several of its own. */
const OWN: ReadonlySet<string> = new Set(["plan", "test"]);

export const exampleOf = (path: string): string | undefined => EXAMPLES[path];

export const addExamples = (program: Command): void => {
  for (const { path, command } of listCommands(program)) {
    const example = EXAMPLES[path];
    if (example !== undefined && !OWN.has(path)) command.addHelpText("after", `\nExample:\n  ${example}\n`);
  }
};
