/** Traces and videos of test cases on request: kept of the cases that were asked for, privately, shown by the reports, and without secrets. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { readZipTexts } from "@retinue/tools/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";
import { startShop, type Shop } from "../testing/start-shop.ts";

const SECRET = "correct-horse";
const LOGIN =
  'Navigate to ${baseUrl}/login, type "ada@example.com" into the Email field, type "{{secret:SHOP_PASSWORD}}" into the Password field and click the Log in button';

const toCase = (title: string, address: string): string =>
  `title: ${title}\nsecrets: [SHOP_PASSWORD]\nsteps:\n  - action: ${LOGIN}\n    expected: { check: url, contains: ${address}, withinMs: 300 }\n`;

const PNG = "\u0089PNG\r\n\u001a\n";

describe("with --trace and --video", { timeout: 180_000 }, () => {
  let shop: Shop;
  let project: Project;
  beforeAll(async () => {
    shop = await startShop();
    project = await createProject();
    for (const [name, text] of Object.entries({
      "a.yaml": toCase("Passes", "/products"),
      "b.yaml": toCase("Fails", "/nowhere"),
      ".env": `SHOP_PASSWORD=${SECRET}\n`,
    }))
      await writeFile(join(project.workspace, name), text);
  });
  afterAll(async () => {
    await shop.close();
    await project.remove();
  });

  const run = async (...words: readonly string[]): Promise<readonly CaseResult[]> => {
    const given = ["test", ".", "--json", "-m", "offline/rules", "--var", `baseUrl=${shop.url}`, ...words];
    const { stdout, stderr } = await callRetinue(project, given);
    expect(stdout, stderr).toContain("cases");
    return (JSON.parse(stdout) as SuiteResult).cases;
  };

  const kinds = (cases: readonly CaseResult[]): readonly string[] =>
    cases.map(({ title, recordings = [] }) => [title, ...recordings.map(({ kind, attempt }) => `${kind} ${attempt}`)].join(" "));

  test("what was asked for is kept privately, holds no secret, and is linked from the reports", { tags: ["long"] }, async () => {
    const [html, junit] = [join(project.workspace, "report.html"), join(project.workspace, "junit.xml")];
    const cases = await run("--trace", "on", "--video", "retain-on-failure", "--html", html, "--junit", junit, "--workers", "2");
    expect(kinds(cases)).toEqual(["Passes trace 1", "Fails trace 1 video 1"]);
    const files = cases.flatMap(({ recordings = [] }) => recordings);
    for (const { file, bytes } of files) {
      const { mode, size } = await stat(file);
      expect([mode & 0o777, size]).toEqual([0o600, bytes]);
    }
    for (const { file } of files.filter(({ kind }) => kind === "trace")) {
      const whole = readZipTexts(await readFile(file)).join("\n");
      expect(whole).toContain("ada@example.com");
      expect(whole).toContain("{{secret:SHOP_PASSWORD}}");
      expect(whole).not.toContain(SECRET);
    }
    const video = files.find(({ kind }) => kind === "video")?.file ?? "";
    const data = await readFile(video);
    expect(data.toString("latin1")).toMatch(new RegExp(`^${PNG}[\\s\\S]*acTL`));
    const page = await readFile(html, "utf8");
    expect(page).toContain(`src="data:image/apng;base64,${data.toString("base64").slice(0, 200)}`);
    expect(page.match(/<a download="[^"]*-trace\.zip" href="data:application\/zip;base64,/g)).toHaveLength(2);
    expect(await readFile(junit, "utf8")).toContain(`[[ATTACHMENT|${video}]]`);
    // Nothing is made anew for the report of an earlier call.
    const again = await callRetinue(project, ["test", "report", "latest"]);
    expect(again.stdout).toContain(`  video: ${video}`);
  });

  test(
    "of a case that is tried again every attempt is kept, and nothing where nothing was asked for",
    { tags: ["long"] },
    async () => {
      expect(kinds(await run("--grep", "Fails", "--retries", "1", "--trace", "retain-on-failure"))).toEqual([
        "Fails trace 1 trace 2",
      ]);
      expect(kinds(await run("--trace", "off"))).toEqual(["Passes", "Fails"]);
    },
  );

  test("a mode that there is not is refused", async () => {
    const ended = await callRetinue(project, ["test", ".", "--video", "sometimes"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("--video sometimes is not known; there are off, on, retain-on-failure.");
  });
});
