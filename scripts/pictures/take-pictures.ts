/**
 * `npm run pictures`: pictures of the terminal interface for the documentation, taken from real runs of the real command in a real terminal. Only the model is
 * played, by a server on the loopback.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { MockReply, MockRequest } from "@retinue/model/testing";
import { call, createMockProject } from "../../packages/retinue/src/cli/testing/mock-project.ts";
import { createProject } from "../../packages/retinue/src/cli/testing/spawn-retinue.ts";
import { startInPty, type InPty } from "../../packages/retinue/src/tui/testing/start-in-pty.ts";
import { takeScreen, toSvg } from "./to-svg.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../docs/images");
const SIZE = { columns: 80, rows: 24 };

const SOURCE = `export const total = (items: Item[]): number => {
  const sum = items.reduce((all, { price }) => all + price, 0);
  return sum;
};
`;

const save = (name: string, screens: readonly string[], title: string, frameMs?: number): Promise<void> =>
  writeFile(path.join(FOLDER, `${name}.svg`), toSvg(screens, { ...SIZE, title, ...(frameMs === undefined ? {} : { frameMs }) }));

/** When nothing has changed for a moment. */
const takeSettled = async ({ terminal }: InPty, ms = 400): Promise<string> => {
  await sleep(ms);
  return takeScreen(terminal);
};

const delegate = (agent: string, task: string) => call("delegate_to_agent", { agent, task });

/** What each agent says, by what it has been told so far. */
const createReplies = (held: Promise<void>): ((request: MockRequest) => Promise<MockReply>) => {
  const asked = new Map<string, number>();
  const turns: Readonly<Record<string, readonly (MockReply & { readonly isHeld?: boolean })[]>> = {
    main: [
      {
        text: "I look for the places first, then the change and its test are made **at once**.",
        toolCalls: [delegate("researcher", "Where is the total of the cart computed?")],
      },
      {
        text: "",
        toolCalls: [delegate("executor", "Give the total a discount."), delegate("tester", "Write a test for the discount.")],
      },
      {
        text: "The discount is in.\n\n| file | what |\n|---|---|\n| `src/cart.ts` | `total` takes a discount |\n| `tests/cart.test.ts` | 3 cases, all **pass** |\n\nPrices without a discount are as they were.",
        deltaChars: 4,
      },
    ],
    researcher: [
      { toolCalls: [call("grep", { pattern: "total" })] },
      { text: "## Summary\nfound 3 places in src/cart.ts\n\n## Details\nsrc/cart.ts:1" },
    ],
    executor: [
      {
        toolCalls: [
          call("edit", { path: "src/cart.ts", edits: [{ old: "  return sum;", new: "  return sum * (1 - discount);" }] }),
        ],
      },
      { text: "## Summary\ntotal takes a discount" },
    ],
    tester: [
      { text: "I read the cart before I write the test.", toolCalls: [call("read", { path: "src/cart.ts" })] },
      { text: "## Summary\n3 cases pass", isHeld: true },
    ],
  };
  return async ({ text }) => {
    const [agent = "main"] = ["researcher", "executor", "tester"].filter((name) => text.includes(`operating as a **${name}**`));
    const turn = asked.get(agent) ?? 0;
    asked.set(agent, turn + 1);
    const { isHeld = false, ...reply } = turns[agent]?.[turn] ?? { text: "There is nothing more to do." };
    if (isHeld) await held;
    return { latencyMs: 300, ...reply };
  };
};

const takeNested = async (): Promise<void> => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { project, remove } = await createMockProject(createReplies(held), "limits: { costUsd: 0.5 }\n");
  await mkdir(path.join(project.workspace, "src"));
  await writeFile(path.join(project.workspace, "src/cart.ts"), SOURCE);
  const at = startInPty(project, ["--approve", "ask"], SIZE);
  const screens: string[] = [];
  try {
    await at.until("ready");
    screens.push(await takeSettled(at));
    at.type("add a discount to the cart");
    screens.push(await takeSettled(at));
    at.type("\r");
    await at.until("researcher");
    screens.push(await takeSettled(at));
    await at.until("y once");
    const question = await takeSettled(at, 1200);
    screens.push(question, question);
    await save("approval", [question], "An agent at depth 1 asks whether it may edit a file; the tree of agents stays in view.");
    at.type("y");
    await at.until("allowed once");
    at.type("\t");
    await sleep(200);
    at.type("\u001b[B\u001b[B\r");
    screens.push(await takeSettled(at, 600));
    await save("inspect", [screens.at(-1) ?? ""], "One agent opened below the tree: its task, its limits, and what it did.");
    at.type("\u001b");
    await sleep(200);
    at.type("\u001b");
    release();
    await at.until("completed in");
    const end = await takeSettled(at, 800);
    screens.push(end, end);
    await save("answer", [end], "The finished tree, the answer rendered, and what it took.");
    await save("recording", screens, "A session: a task, the agents that work on it, a question, the answer.");
  } finally {
    at.type("\u0004");
    await Promise.race([at.ended, sleep(3000)]);
    at.kill("SIGKILL");
    await remove();
  }
};

const takeFirst = async (): Promise<void> => {
  const project = await createProject();
  await mkdir(path.join(project.workspace, "src"));
  await writeFile(path.join(project.workspace, "src/cart.ts"), SOURCE);
  const at = startInPty(project, ["--model", "offline/rules"], SIZE);
  try {
    await at.until("ready");
    at.type("where is the total computed?\r");
    await at.until("completed in");
    at.type("/");
    await save(
      "first-session",
      [await takeSettled(at, 800)],
      "The first session: the built-in rules answer, and commands complete.",
    );
  } finally {
    at.type("\u0003\u0003");
    await Promise.race([at.ended, sleep(3000)]);
    at.kill("SIGKILL");
    await project.remove();
  }
};

await mkdir(FOLDER, { recursive: true });
await takeFirst();
await takeNested();
