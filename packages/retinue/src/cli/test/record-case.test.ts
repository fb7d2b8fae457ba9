/** `retinue test record`: what is done in a real browser, by real input, becomes a case that passes; what is typed in secret is not in it. Only the person is played. */
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { BrowserSession } from "@retinue/tools";
import type { SuiteResult } from "@retinue/protocol/test-case";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSurroundings } from "../surroundings.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject, toEnvironment } from "../testing/spawn-retinue.ts";
import { startShop, type Shop } from "../testing/start-shop.ts";
import { testRecordCommand } from "./test-record-command.ts";

const PASSWORD = "correct-horse";

describe("a recording", { timeout: 180_000 }, () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
    cleanups.push(shop.close);
  });
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  type Recorded = { readonly project: Project; readonly text: string; readonly told: string };
  /** Records what the actor does, who then closes the window. */
  const record = async (
    url: string,
    env: string | null,
    /** A person looks before going on, and so does the recorder. */
    actor: (page: NonNullable<BrowserSession["currentPage"]>, looked: () => Promise<unknown>) => Promise<void>,
  ): Promise<Recorded> => {
    const project = await createProject();
    cleanups.push(project.remove);
    if (env !== null) await writeFile(join(project.workspace, ".env"), env);
    let told = "";
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        told += chunk.toString();
        done();
      },
    });
    const surroundings = createSurroundings({
      stdin: Readable.from([]),
      stdout: sink,
      stderr: sink,
      env: toEnvironment(project.home),
    });
    const act = async (session: BrowserSession, looked: () => Promise<unknown>): Promise<void> => {
      const page = await session.page();
      await actor(page, looked);
      // Nobody closes a window before having seen what came.
      await page.waitForTimeout(500);
      await looked();
      await page.close();
    };
    const code = await testRecordCommand(url, { workspace: project.workspace, out: "recorded.yaml", actor: act }, surroundings);
    expect(code, told).toBe(0);
    return { project, told, text: await readFile(join(project.workspace, "recorded.yaml"), "utf8") };
  };

  const run = async (project: Project): Promise<readonly string[]> => {
    const ended = await callRetinue(project, ["test", "recorded.yaml", "--json", "-m", "offline/rules"]);
    expect(ended.stdout, ended.stderr).not.toBe("");
    return (JSON.parse(ended.stdout) as SuiteResult).cases.map(({ verdict, reason }) =>
      verdict === "pass" ? verdict : `${verdict} ${reason}`,
    );
  };

  test(
    "of a login, a search and a deletion passes, and fails where the application does something else",
    { tags: ["long"] },
    async () => {
      const { project, text, told } = await record(`${shop.url}/login`, `SHOP_PASSWORD=${PASSWORD}\n`, async (page, looked) => {
        await page.getByRole("textbox", { name: "Email" }).pressSequentially("ada@example.com");
        await page.getByRole("textbox", { name: "Password" }).pressSequentially(PASSWORD);
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Products" }).waitFor();
        await looked();
        await page.getByRole("searchbox").click();
        await page.keyboard.type("lamp");
        await page.getByRole("button", { name: "Search" }).click();
        await looked();
        await page.getByRole("button", { name: "Delete Desk lamp" }).click();
        await page.getByRole("dialog").waitFor();
        await looked();
        await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      });
      expect(text).toContain("Navigate to ${baseUrl}/login");
      expect(text).toContain(
        'Type "ada@example.com" into the "Email" field, type "{{secret:SHOP_PASSWORD}}" into the "Password" field and click the "Log in" button',
      );
      expect(text).toContain('click the "Search" button');
      expect(text).toContain('Click the "Delete Desk lamp" button');
      expect(text).toMatch(/secrets:\n\s+- SHOP_PASSWORD/);
      expect(text + told).not.toContain(PASSWORD);
      expect(await run(project)).toEqual(["pass"]);
      await writeFile(join(project.workspace, "recorded.yaml"), text.replaceAll("/login", "/login?bug=wrong-redirect"));
      expect(await run(project)).toEqual([expect.stringMatching(/^fail Step 2: .*\/products.*seen: .*\/account/)]);
    },
  );

  test("never holds what was typed in secret, also where a page shows it, nor an address with it", async () => {
    const server = createServer((asked, answer) => {
      const url = new URL(asked.url ?? "/", "http://127.0.0.1");
      const [pin, code, free] = ["pin", "code", "free"].map((name) => url.searchParams.get(name) ?? "");
      answer.setHeader("content-type", "text/html");
      answer.end(
        `<title>${pin}</title><h1>${pin === "" ? "Enter" : `You typed ${pin} and ${code}`}</h1><p role=status>${free}</p><form action="/done"><label>Pin <input type=password name=pin></label><label>Code <input name=code autocomplete=one-time-code></label><label>Free <input name=free></label><button>Send</button></form>`,
      );
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    cleanups.push(async () => server.close());
    const secrets = { pin: "sesame-open-77", code: "918273", free: "tok-4f9a8b7c6d5e" };
    const { text, told, project } = await record(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      `API_TOKEN=${secrets.free}\n`,
      async (page) => {
        for (const [label, value] of [
          ["Pin", secrets.pin],
          ["Code", secrets.code],
          ["Free", secrets.free],
        ] as const)
          await page.getByLabel(label).pressSequentially(value);
        await page.getByRole("button", { name: "Send" }).click();
        await page.waitForURL(/done/);
      },
    );
    for (const secret of Object.values(secrets)) expect(text + told).not.toContain(secret);
    for (const reference of ["{{secret:PIN_SECRET}}", "{{totp:CODE_SECRET}}", "{{secret:API_TOKEN}}"])
      expect(text).toContain(reference);
    expect(text).toContain("/done");
    expect(told).toContain("put PIN_SECRET, CODE_SECRET into .env; what was typed there is not written.");
    await writeFile(
      join(project.workspace, ".env"),
      `API_TOKEN=${secrets.free}\nPIN_SECRET=${secrets.pin}\nCODE_SECRET=GEZDGNBVGY3TQOJQ\n`,
    );
    expect(await run(project)).toEqual(["pass"]);
  });

  test("tells rows apart, and takes choices, checkboxes and what was typed last", { tags: ["long"] }, async () => {
    const page = `<title>List</title><h1>List</h1><table><tr><td>Apple</td><td><button onclick="said('Apple is gone')">Delete</button></td></tr><tr><td>Pear</td><td><button onclick="said('Pear is gone')">Delete</button></td></tr></table>
      <label>Colour <select><option>Red</option><option>Blue</option></select></label><label><input type=checkbox> Fresh</label><label>Note <input></label><p role=status></p>
      <script>const said = (text) => { document.querySelector("[role=status]").textContent = text; };</script>`;
    const server = createServer((_asked, answer) => void answer.setHeader("content-type", "text/html").end(page));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    cleanups.push(async () => server.close());
    const { text, project } = await record(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      null,
      async (shown, looked) => {
        await shown.getByRole("button", { name: "Delete" }).nth(1).click();
        await shown.getByText("Pear is gone").waitFor();
        await looked();
        await shown.getByRole("combobox").selectOption("Blue");
        await looked();
        await shown.getByText("Fresh").click();
        await looked();
        await shown.getByLabel("Note").fill("first");
        await shown.getByLabel("Note").fill("second");
      },
    );
    for (const line of [
      'Click the "Delete" button in the "Pear" row',
      "contains: Pear is gone",
      "is: checked",
      "equals: Blue",
      'Select "Blue" in the "Colour" dropdown',
      'Click the "Fresh" checkbox',
      'Type "second" into the "Note" field',
    ])
      expect(text).toContain(line);
    expect(text).not.toContain("first");
    expect(await run(project)).toEqual(["pass"]);
  });

  test.each([
    ["ftp://127.0.0.1/", "is no address"],
    ["nonsense", "is no address"],
  ])("of %s is refused", async (url, why) => {
    const project = await createProject();
    cleanups.push(project.remove);
    const ended = await callRetinue(project, ["test", "record", url]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(why);
  });
});
