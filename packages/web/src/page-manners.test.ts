// @module-tag long
/** The manners of the page, as a person meets them: rules, questions of agents, what waits, what is new, completion, pictures, comments. Only the model is played. */
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { call, delegate, findInaccessible, type Part, SHOP } from "./testing/index.ts";
import { openSignedIn, type SignedIn } from "./testing/signed-in.ts";

const write = (file: string) => call("write", { path: file, content: "export {};\n" });

const PARTS: readonly Part[] = [
  {
    agent: "main",
    task: "two modules",
    replies: [[delegate("executor", "Write module one."), delegate("executor", "Write module two.")], "Both modules are there."],
  },
  { agent: "executor", task: "module one", replies: [[write("src/one.ts")], "One is written."] },
  { agent: "main", task: "third module", replies: [[write("src/three.ts")], "The third is there."] },
  { agent: "executor", task: "module two", replies: [[write("src/two.ts")], "Two is written."] },
  {
    agent: "main",
    task: "serve the shop",
    replies: [[delegate("lead", "Find out the port.")], "It is served at 8080, as you said."],
  },
  {
    agent: "lead",
    replies: [
      [call("ask_user", { question: "Which **port** shall the shop have?", options: ["80", "8080"] })],
      [call("ask_user", { question: "And which name?" })],
      "The user chose.",
    ],
  },
  {
    agent: "main",
    task: "slow thing",
    replies: [[call("ls", { path: "." })], "The slow thing is done."],
    hold: { 0: "slow" },
  },
  { agent: "main", task: "And then this", replies: ["This came after."] },
  {
    agent: "main",
    task: "long story",
    replies: [
      { text: "Once upon a time. ".repeat(120), calls: [call("ls", { path: "." })] },
      { text: "There was a shop. ".repeat(60), calls: [call("ls", { path: "src" })] },
      "The end.",
    ],
    hold: { 1: "story goes on", 2: "story ends" },
  },
  { agent: "main", task: "elsewhere", replies: ["Said in another folder."] },
  { agent: "main", task: "What is @src/cart.ts", replies: ["It is the cart."] },
  { agent: "main", task: "Look at this picture", replies: ["A red dot."] },
  { agent: "main", task: "Comments on your changes", replies: ["I will rename it."] },
];

const LEAD = `---
name: lead
description: Finds out what is not known.
tools: [read, ask_user]
---

You lead.
`;

// A machine may be busy with other things.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let here: SignedIn;

beforeAll(async () => {
  here = await openSignedIn({
    parts: PARTS,
    files: { ...SHOP, ".claude/commands/greet.md": "---\ndescription: Greets\n---\nSay hello" },
    agents: { lead: LEAD },
    settings: "approve: ask\n",
  });
});

afterAll(() => here?.close());

const openTab = (address?: string): Promise<Page> => here.openTab(address);

const INPUT = { name: "Say what is to be done" } as const;

const ask = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("combobox", INPUT).fill(text);
  await page.keyboard.press("Enter");
  await page.waitForURL(/sessions/);
};

/** A question takes no key of somebody who has just typed, nor right after it came up. */
const waitUntilSafe = (page: Page): Promise<void> => page.waitForTimeout(1_300);

test("key 4 says what a rule covers before it is kept; it settles its siblings, and settings take it away", async () => {
  const page = await openTab();
  await ask(page, "Write two modules.");
  await page.getByRole("region", { name: /wants to write src\/one\.ts/ }).waitFor();
  await page.getByRole("region", { name: /wants to write src\/two\.ts/ }).waitFor();
  await page.getByRole("log").focus();
  await waitUntilSafe(page);
  await page.keyboard.press("4");
  const dialog = page.getByRole("dialog", { name: "Allow as a rule" });
  await dialog.getByText("write in src/**").waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Allow, and keep the rule" }).click();
  await page.getByText("Both modules are there.").waitFor();
  expect(await readFile(path.join(here.stage.workspace, "src/two.ts"), "utf8")).toBe("export {};\n");

  await page.getByRole("link", { name: "Settings" }).click();
  const rules = page.getByRole("list", { name: "Rules of this folder" });
  await rules.getByText("write in src/**").waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  await rules.getByRole("button", { name: "Remove the rule write in src/**" }).click();
  await page.getByText("Everything that has to be asked is asked.").waitFor();
  await page.getByRole("link", { name: "New session" }).click();
  await ask(page, "Write a third module.");
  await page.getByRole("region", { name: /main wants to write src\/three\.ts/ }).waitFor();
  await page.waitForTimeout(300);
  await page.getByRole("button", { name: "Deny …" }).click();
  await page.getByRole("textbox", { name: /Why not/ }).fill("enough");
  await page.keyboard.press("Enter");
  await page.getByText("The third is there.").waitFor();
  expect(here.problems()).toEqual([]);
});

test("what an agent asks is answered in the tree by an option and from the inbox in words, and the title counts it", async () => {
  const page = await openTab();
  await ask(page, "Have somebody serve the shop.");
  const card = page.getByRole("region", { name: /lead asks: Which/ });
  await card.getByRole("button", { name: "8080" }).waitFor();
  expect(await card.getByRole("list", { name: "Asked by" }).innerText()).toMatch(/main\s*lead/);
  expect(await page.title()).toBe("(1) Retinue");
  expect(await findInaccessible(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForTimeout(200);
  expect(await findInaccessible(page)).toEqual([]);
  expect((await card.getByRole("textbox", { name: "Your answer to lead" }).boundingBox())?.width).toBeGreaterThan(180);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
  // What waits for a human is never folded away.
  await page.getByRole("button", { name: "Collapse lead" }).click();
  await page.reload();
  await card.getByRole("button", { name: "8080" }).waitFor();
  await page.waitForTimeout(300);
  await card.getByRole("button", { name: "8080" }).click();
  const second = page.getByRole("region", { name: "lead asks: And which name?" });
  await second.waitFor();
  await page.getByRole("button", { name: /1 waiting for you/ }).click();
  const inbox = page.getByRole("dialog", { name: "Waiting for you (1)" });
  await inbox.getByRole("textbox", { name: "Your answer to lead" }).fill("Corner shop");
  expect(await findInaccessible(page)).toEqual([]);
  await page.waitForTimeout(300);
  await page.keyboard.press("Enter");
  await page.getByText("It is served at 8080, as you said.").waitFor();
  expect(await page.title()).toBe("Retinue");
  expect(here.problems()).toEqual([]);
});

test("what is said to a busy agent waits on the server, is seen after a reload, and is taken back before it is read", async () => {
  const page = await openTab();
  await ask(page, "Do a slow thing.");
  const input = page.getByRole("combobox", { name: /while it works/ });
  for (const text of ["Be careful.", "Forget the docs."]) {
    await input.fill(text);
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText(text).waitFor();
  }
  for (const text of ["And then this.", "And not this."]) {
    await input.fill(text);
    await page.keyboard.press("Alt+Enter");
    await page.getByRole("region", { name: "Waiting for the end of this turn" }).getByText(text).waitFor();
  }
  await page.reload();
  const told = page.locator(".told").filter({ hasText: "Forget the docs." });
  await told.getByText("waiting: read before its next turn").waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  await told.getByRole("button", { name: "Take back" }).click();
  await told.waitFor({ state: "detached" });
  const later = page.getByRole("region", { name: "Waiting for the end of this turn" });
  await later.getByRole("listitem").filter({ hasText: "And not this." }).getByRole("button", { name: "Take back" }).click();
  await later.getByText("And not this.").waitFor({ state: "detached" });
  // The words are not lost.
  expect(await input.inputValue()).toBe("And not this.");
  await input.fill("");
  here.stage.model.release("slow");
  await page.getByText("This came after.").waitFor();
  await later.waitFor({ state: "detached" });
  await page.locator(".told").filter({ hasText: "Be careful." }).getByText("delivered").waitFor();
  expect(here.problems()).toEqual([]);
});

test("whoever reads above is not moved, is told how much is new, and goes there by one click", async () => {
  const page = await openTab();
  await page.setViewportSize({ width: 900, height: 420 });
  await ask(page, "Tell a long story.");
  await page.getByText("Once upon a time.").first().waitFor();
  const log = page.getByRole("log");
  await log.hover();
  await page.mouse.wheel(0, -4_000);
  await page.waitForTimeout(300);
  const before = await log.evaluate((element) => element.scrollTop);
  here.stage.model.release("story goes on");
  const news = page.getByRole("button", { name: /new row/ });
  await news.waitFor();
  expect(await log.evaluate((element) => element.scrollTop)).toBe(before);
  expect(await findInaccessible(page)).toEqual([]);
  await news.click();
  await news.waitFor({ state: "detached" });
  here.stage.model.release("story ends");
  await page.getByText("The end.").waitFor();
  expect(here.problems()).toEqual([]);
});

test("an address that leads nowhere says so, with a way home", async () => {
  const page = await openTab("/somewhere/else");
  await page.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  await page.getByRole("link", { name: "Back to the start" }).click();
  await page.getByRole("heading", { name: "What shall be done?" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/");
  expect(here.problems()).toEqual([]);
});

test("sessions are grouped by their folder", async () => {
  const other = path.join(path.dirname(here.stage.workspace), "warehouse");
  await mkdir(other, { recursive: true });
  const child = here.stage.command("run", "--workspace", other, "Say something elsewhere");
  await new Promise((resolve) => child.on("close", resolve));
  const page = await openTab();
  await page
    .getByRole("region", { name: "Folder warehouse" })
    .getByRole("link", { name: /Say something elsewhere/ })
    .waitFor();
  const own = page.getByRole("region", { name: "Folder shop" });
  expect(await own.getByRole("link", { name: /elsewhere/ }).count()).toBe(0);
  expect(await own.getByRole("link").count()).toBeGreaterThan(0);
  expect(await findInaccessible(page)).toEqual([]);
  expect(here.problems()).toEqual([]);
});

test("/commands and @files are completed by keys, and a picture is pasted and dropped", async () => {
  const page = await openTab();
  const input = page.getByRole("combobox", INPUT);
  await input.pressSequentially("/gre");
  const list = page.getByRole("listbox", { name: "Completions" });
  await list.getByRole("option", { name: /\/greet/ }).waitFor();
  await page.keyboard.press("Tab");
  expect((await input.inputValue()).trim()).toBe("/greet");
  await input.fill("");
  await input.pressSequentially("What is @cart");
  await list.getByRole("option", { name: /src\/cart\.ts/ }).waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  for (
    let tries = 0;
    tries < 5 && !/src\/cart/.test((await list.getByRole("option", { selected: true }).textContent()) ?? "");
    tries++
  )
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  expect((await input.inputValue()).trim()).toBe("What is @src/cart.ts");
  await page.keyboard.press("Enter");
  await page.getByText("It is the cart.").waitFor();

  await page.getByRole("link", { name: "New session" }).click();
  await input.fill("Look at this picture");
  const give = (kind: "paste" | "drop") =>
    input.evaluate((field, type) => {
      const bytes = Uint8Array.from(
        atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="),
        (char) => char.codePointAt(0) ?? 0,
      );
      const data = new DataTransfer();
      data.items.add(new File([bytes], `${type}.png`, { type: "image/png" }));
      field.dispatchEvent(
        type === "paste"
          ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    }, kind);
  await give("paste");
  await give("drop");
  await page.getByRole("button", { name: "Remove drop.png" }).waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  await page.getByRole("button", { name: "Remove drop.png" }).click();
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("A red dot.").waitFor();
  await page.getByRole("button", { name: "Enlarge: Attached picture" }).waitFor();
  expect(here.problems()).toEqual([]);
});

test("comments on lines of a changed file go, with path and code, to whoever wrote them", async () => {
  const page = await openTab();
  await page.getByRole("link", { name: /Write two modules/ }).click();
  await page.getByRole("tab", { name: "Files" }).click();
  const change = page.getByRole("region", { name: "src/one.ts", exact: true });
  await change.getByRole("button", { name: "Comment on line 1" }).first().click();
  await change.getByRole("textbox").fill("Name it module-one.");
  expect(await findInaccessible(page)).toEqual([]);
  await page.getByRole("button", { name: "Send 1 comment" }).click();
  await page.getByText("1 comment sent.").waitFor();
  await page.getByRole("tab", { name: "Conversation" }).click();
  await page.getByText("I will rename it.").waitFor();
  const said = await page.getByRole("log").innerText();
  expect(said).toContain("src/one.ts:1");
  expect(said).toContain("Name it module-one.");
  expect(here.problems()).toEqual([]);
});
