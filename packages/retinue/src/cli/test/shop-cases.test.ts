/**
 * The ten-step case against the shop of the examples, in a real Chromium: it passes on the healthy shop, and fails at the right step, with the right evidence, for each
 * of twelve planted bugs; also where the model says PASS whatever it sees. Only the model is played.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MockReply, MockRequest } from "@retinue/model/testing";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startShop, type Shop } from "../testing/start-shop.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject, type MockProject } from "../testing/mock-project.ts";

const CASE = new URL("../../../../../examples/test-cases/stock.yaml", import.meta.url);

/** At which step each bug shows, and what the runner has seen there. */
const SHOWS: Readonly<Record<string, { readonly step: number; readonly seen: RegExp }>> = {
  "wrong-redirect": { step: 2, seen: /\/account/ },
  "console-error": { step: 2, seen: /stock\.level is not a function/ },
  "delayed-never": { step: 3, seen: /Loading…/ },
  "search-case": { step: 4, seen: /Name Price Quantity Actions/ },
  "validation-off": { step: 5, seen: /Pencil/ },
  "toast-missing": { step: 6, seen: /there is no status/ },
  "wrong-total": { step: 6, seen: /127\.10/ },
  "save-500": { step: 6, seen: /POST \S+\/api\/products 500/ },
  "upload-dropped": { step: 7, seen: /there is no list|""/ },
  "cancel-deletes": { step: 8, seen: /DELETE \S+\/api\/products\/1 200/ },
  "stale-list": { step: 9, seen: /Desk lamp/ },
  "iframe-wrong": { step: 10, seen: /"5"/ },
};

type Act = ReturnType<typeof call>;

const type = (name: string, text: string, role = "textbox"): Act => call("browser_type", { role, name, text });
const click = (name: string): Act => call("browser_click", { role: "button", name });

/** What a tester does at each step, and what an honest one looks for in what the tools told. */
const STEPS: readonly {
  readonly acts: (address: string) => readonly Act[];
  readonly sees: (told: string, page: string) => boolean;
}[] = [
  { acts: (url) => [call("browser_navigate", { url })], sees: (told) => told.includes("Log in") },
  {
    acts: () => [type("Email", "ada@example.com"), type("Password", "correct-horse"), click("Log in")],
    sees: (told) => told.includes("/products") && !told.includes("Errors of the console"),
  },
  { acts: () => [call("browser_wait", { seconds: 1 })], sees: (_, page) => page.includes("Next delivery: Tuesday") },
  { acts: () => [type("Search products", "LAMP", "searchbox"), click("Search")], sees: (_, page) => page.includes("Desk lamp") },
  {
    acts: (url) => [call("browser_navigate", { url }), type("Name", "Pencil"), type("Price", "0"), click("Save product")],
    sees: (_, page) => page.includes("more than 0"),
  },
  {
    acts: () => [type("Price", "2.50"), type("Quantity", "4"), click("Save product")],
    sees: (told, page) => told.includes("Pencil was saved") && !told.includes(" 500") && page.includes("540.80"),
  },
  {
    acts: (url) => [
      call("browser_navigate", { url }),
      call("browser_upload", { description: "Price list", paths: ["prices.csv"] }),
      click("Upload file"),
    ],
    sees: (_, page) => page.includes("prices.csv: 3 lines"),
  },
  {
    acts: (url) => [call("browser_navigate", { url }), click("Delete Desk lamp"), click("Cancel")],
    sees: (_, page) => page.includes("Desk lamp"),
  },
  { acts: () => [click("Delete Desk lamp"), click("Delete")], sees: (_, page) => !page.includes("Delete Desk lamp") },
  { acts: (url) => [call("browser_navigate", { url })], sees: (_, page) => /4/.test(page) },
];

type Message = { readonly role: string; readonly content: unknown };

const textOf = ({ content }: Message): string => (typeof content === "string" ? content : JSON.stringify(content));

const stepOf = (task: string, actions: readonly string[]): number => {
  const [, said = ""] = /YOUR TASK:\n([\s\S]*?)\n\nEXPECTED RESULT/.exec(task) ?? [];
  return actions.findIndex((action) => said.startsWith(action));
};

/** The beginnings of the actions, by which a task is known. */
const ACTIONS = [
  "Navigate to {shop}/login",
  'Type "ada@example.com"',
  "Look at the delivery",
  'Type "LAMP"',
  "Navigate to {shop}/products, type",
  'Type "2.50"',
  "Navigate to {shop}/upload",
  "Navigate to {shop}/products, click",
  "Click the Delete Desk lamp",
  "Navigate to {shop}/report",
];

const toReply =
  (shop: string, isLying: boolean) =>
  ({ body }: MockRequest): MockReply => {
    const { messages } = body as { readonly messages: readonly Message[] };
    const task = messages
      .filter(({ role }) => role === "user")
      .map(textOf)
      .join("\n");
    if (task.includes("MODE 1: PLAN."))
      return {
        text: JSON.stringify({
          sub_tasks: [...task.matchAll(/^Step (\d+): (.*)$/gm)].map(([, step, description]) => ({
            step: Number(step),
            description,
            expected_result: "as the case says",
          })),
        }),
      };
    if (task.includes("MODE 2: EVALUATE."))
      return {
        text: JSON.stringify(
          isLying ? { decision: "continue", reason: "never mind" } : { decision: "stop", reason: "a finding" },
        ),
      };
    if (task.includes("MODE 3: VERDICT."))
      return { text: JSON.stringify({ status: isLying || !task.includes("(failed)") ? "pass" : "fail", summary: "The end." }) };
    const told = messages.filter(({ role }) => role === "tool").map(textOf);
    const step =
      STEPS[
        stepOf(
          task,
          ACTIONS.map((action) => action.replace("{shop}", shop)),
        )
      ];
    if (!step) return { text: "RESULT: FAIL\nSUMMARY: This step is not in the script." };
    const [, address = ""] = /Navigate to ([^\s,]+)/.exec(task) ?? [];
    const acts = [...step.acts(address), call("browser_snapshot", {})];
    const next = acts[told.length];
    if (next) return { toolCalls: [next] };
    return step.sees(told.join("\n"), told.at(-1) ?? "") || isLying
      ? { text: "RESULT: PASS\nSUMMARY: What is expected was seen." }
      : { text: "RESULT: FAIL\nSUMMARY: What is expected was not there." };
  };

describe("the ten-step case", { tags: ["long"] }, () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(async () => shop.close());

  /** Runs the case once on the healthy shop, and once for each bug, in one browser. */
  const runAll = async (isLying: boolean): Promise<ReadonlyMap<string, CaseResult>> => {
    const made: MockProject = await createMockProject(toReply(shop.url, isLying));
    try {
      const text = await readFile(CASE, "utf8");
      const rows = ["", ...Object.keys(SHOWS)].map((bug) => `  - { bug: "${bug}" }`);
      await writeFile(join(made.project.workspace, "stock.yaml"), `data:\n${rows.join("\n")}\n${text}`);
      await writeFile(join(made.project.workspace, "prices.csv"), "Pen,1.20\nPaper,4.00\nGlue,2.30\n");
      const words = [
        "test",
        "stock.yaml",
        "--json",
        "--workers",
        "3",
        "--var",
        `baseUrl=${shop.url}`,
        "--var",
        "prices=prices.csv",
      ];
      const ended = await callRetinue(made.project, words);
      const { cases } = JSON.parse(ended.stdout) as SuiteResult;
      return new Map(cases.map((one) => [one.title.replace("A shop assistant keeps the stock ", ""), one]));
    } finally {
      await made.remove();
    }
  };

  test.each([
    ["an honest", false],
    ["a lying", true],
  ])(
    "with %s model: passes on the healthy shop, and fails at the right step with the right evidence for each of twelve bugs",
    { timeout: 600_000 },
    async (_, isLying) => {
      const results = await runAll(isLying);
      expect(results.size).toBe(13);
      const healthy = results.get("");
      expect(healthy?.verdict, healthy?.reason).toBe("pass");
      for (const step of healthy?.steps ?? [])
        expect(step.evidence, `step ${step.number} cites what was recorded`).not.toHaveLength(0);
      for (const [bug, { step, seen }] of Object.entries(SHOWS)) {
        const result = results.get(bug);
        const failed = result?.steps.find(({ verdict }) => verdict === "fail");
        expect(`${bug}: ${result?.verdict} at ${failed?.number}`, result?.reason).toBe(`${bug}: fail at ${step}`);
        expect(
          failed?.checks
            .filter(({ result: { status } }) => status === "failed")
            .map(({ result: { observed, evidence } }) => `${observed} ${evidence ?? ""}`)
            .join("\n"),
          bug,
        ).toMatch(seen);
        for (const { number, verdict } of result?.steps ?? [])
          if (number < step) expect(`${bug}: step ${number} ${verdict}`).toBe(`${bug}: step ${number} pass`);
      }
    },
  );
});
