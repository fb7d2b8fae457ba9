/** The command lines of the README, and what is done with each when they are tried: all that can be typed without a key are. */

/** In blocks of `sh` every line that is no comment, in blocks of `console` what follows the prompt, in tables what the first cell holds. */
export const findCommandLines = (markdown: string): readonly string[] => {
  const lines: string[] = [];
  let block: string | undefined;
  for (const line of markdown.split("\n")) {
    const fence = /^```(\w*)/.exec(line)?.[1];
    if (fence !== undefined) block = block === undefined ? fence : undefined;
    else if (block === "sh" && /^[^\s#]/.test(line)) lines.push(line.trim());
    else if (block === "console" && line.startsWith("$ ")) lines.push(line.slice(2).trim());
    else if (block === undefined) lines.push(...(/^\| `(retinue\b[^`]*)`\s*\|/.exec(line)?.slice(1) ?? []));
  }
  return lines.map((line) => line.replace(/\s{2,}#.*$/, ""));
};

/** How a line that is typed ends. */
export type Trial = {
  readonly type: "run";
  /** The exit codes that will do; 0 unless told. */
  readonly codes?: readonly number[];
  /** Stands in what it prints. */
  readonly says?: string;
  /** Does not stand there. */
  readonly saysNot?: string;
  /** A run that was killed is there before: the story that the README tells. */
  readonly afterKill?: boolean;
};

export type Untried = { readonly type: "untried"; readonly why: string };

const run = (how: Omit<Trial, "type"> = {}): Trial => ({ type: "run", ...how });
const untried = (why: string): Untried => ({ type: "untried", why });

const ID = "An id, or a word in capitals, stands for what the reader has.";

/** In the order of the README. */
export const TRIALS: Readonly<Record<string, Trial | Untried>> = {
  "npm start": untried("scripts/bootstrap.test.ts starts it and ends it."),
  "npm test": untried("It is what runs the tests."),
  'retinue run "where is parsePrice defined, and who uses it?"': run({ says: "src/price.ts:1" }),
  retinue: untried("It opens the terminal interface; packages/retinue/src/tui has its tests."),
  "retinue serve": untried("It serves until it is stopped; scripts/bootstrap.test.ts starts and ends it as npm start."),
  'retinue run "task"': untried("The task stands for the reader's own."),
  "retinue run --continue": untried("It continues a session that was cut off; `retinue sessions resume latest` is tried."),
  "retinue sessions …": untried("It stands for the commands that the cell beside it lists."),
  "retinue approvals": run(),
  'retinue send ID "text"': untried(ID),
  "retinue replay ID": untried(ID),
  "retinue stats": run(),
  "retinue agents": run({ says: "code-search" }),
  "retinue skills": run(),
  'retinue spawn AGENT "task"': untried(ID),
  'retinue fanout AGENT "task" …': untried(ID),
  "retinue trust": run(),
  "retinue documents": run(),
  "retinue doctor": run({ says: "offline/rules" }),
  "retinue init": run(),
  'retinue run --approve all "migrate the database"': untried("It is killed on the way to `retinue sessions resume latest`."),
  "retinue sessions resume latest": run({ afterKill: true, says: "with --approve all, as it was begun" }),
  "retinue sessions show latest": run({ says: "migrate the database" }),
  'retinue sessions fork latest --at 12 --model anthropic/claude-sonnet-5 "try it the other way"': untried("It takes a key."),
  "retinue sessions export latest -o session.md": run(),
  "retinue replay latest --verify": run(),
  "retinue approvals list": run(),
  "retinue approvals answer apr_0mwjilfmk262 --allow --resume": untried(ID),
  'retinue plan "add JWT authentication" --research': untried("It takes a model: the offline rules make no plans."),
  "retinue plan edit latest": untried("It takes a plan, which takes a model, and an editor."),
  "retinue plan run latest --approve workspace": untried("It takes a plan, which takes a model."),
  "retinue test init": run(),
  // One of the four cases fails: a bug was planted for it.
  "retinue test examples/test-cases --trust-app --html report.html --junit junit.xml": run({ codes: [1], saysNot: "BLOCKED" }),
  "retinue test tests --grep login --tag smoke --workers 4 --retries 1 --shard 1/2 --env staging": run({ says: "1 passed of 1" }),
  "retinue test tests --trace retain-on-failure --video retain-on-failure --html report.html": run({ says: "2 passed of 2" }),
  "retinue test record http://127.0.0.1:3000/login --out tests/login.yaml": untried("Somebody has to click in its window."),
  "retinue test tests --rerun --heal save": run({ says: "2 passed of 2" }),
  "retinue test report latest": run({ says: "2 passed of 2" }),
  // The offline rules may well say that a task takes a model.
  'retinue fanout --isolation worktree --approve all executor "rename the cart" executor "document the prices"': run({
    codes: [0, 1],
    says: "2. executor: document the prices",
  }),
};
