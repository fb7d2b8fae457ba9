/** A PIN of four digits that a case names as a secret: typed, and found in nothing that is kept, sent or shown; numbers that only begin like it stay what they are. */
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { readZipTexts } from "@retinue/tools/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { call } from "../testing/mock-project.ts";
import { ownTask, playTesters, put } from "../testing/play-testers.ts";

const PIN = "4831";
/** Numbers that hold the PIN, and are none. */
const ORDER = "48310";

const CASE = `title: Paid by PIN
secrets: [CARD_PIN]
steps:
  - action: Navigate to \${baseUrl}/
    expected: { check: visible, element: 'heading "Pay"' }
  - action: Type the PIN into the PIN field and click the Pay button
    expected:
      - { check: text, in: status, contains: "order ${ORDER}" }
      - { check: request, url: { contains: /pay }, status: 200 }
  - action: Look at the receipt
    expected: The page shows "Paid"
`;

describe("a short secret", { timeout: 180_000 }, () => {
  const testers = playTesters();
  const given: string[] = [];
  let url = "";
  let close: () => void;
  beforeAll(async () => {
    // A page that shows what was typed, as bad ones do.
    const server = createServer((asked, answer) => {
      const pin = new URL(asked.url ?? "/", "http://127.0.0.1").searchParams.get("pin");
      if (pin !== null) given.push(pin);
      answer.setHeader("content-type", "text/html");
      answer.end(
        pin === null
          ? `<title>Pay</title><h1>Pay</h1><form action=/pay><label>PIN <input name=pin></label><button>Pay</button></form>`
          : `<title>Paid ${pin}</title><h1>Paid</h1><p role=status>Paid with ${pin}, order ${ORDER}</p><script>console.error("pin ${pin}")</script>`,
      );
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    close = () => server.close();
  });
  afterAll(async () => {
    close();
    await testers.remove();
  });

  const create = async (env: string): Promise<MockProject> => {
    const made = await testers.create({
      act: (task, count) =>
        (ownTask(task).startsWith("Navigate")
          ? [call("browser_navigate", { url: `${url}/` })]
          : ownTask(task).startsWith("Type")
            ? [
                call("browser_type", { role: "textbox", name: "PIN", text: "{{secret:CARD_PIN}}" }),
                call("browser_click", { role: "button", name: "Pay" }),
              ]
            : [call("browser_take_screenshot", { question: "Is it paid?" }), call("browser_snapshot", {})])[count],
      see: () => `The receipt says: Paid with ${PIN}.`,
      settings: "visionModel: local/eyes\n",
    });
    await put(made, "pay.yaml", CASE);
    await put(made, ".env", env);
    return made;
  };
  const run = async ({ project }: MockProject, ...words: readonly string[]) => {
    const ended = await callRetinue(project, ["test", "pay.yaml", "--json", "--var", `baseUrl=${url}`, ...words]);
    expect(ended.stdout, ended.stderr).toContain('"cases"');
    return { ...ended, result: (JSON.parse(ended.stdout) as SuiteResult).cases[0] as CaseResult };
  };

  test("is typed, and stands in no record, request, report, trace or video; a number that holds it stays", async () => {
    const made = await create(`CARD_PIN=${PIN}\n`);
    const { workspace, home } = made.project;
    const words = ["--trace", "on", "--video", "on", "--html", join(workspace, "r.html"), "--junit", join(workspace, "r.xml")];
    const { result, stdout, stderr } = await run(made, ...words);
    expect(`${result.verdict} ${result.reason}`).toBe("pass All 3 steps passed.");
    expect(given).toEqual([PIN]);
    const again = await run(made, "--rerun");
    expect(again.result.steps.map(({ verdict }) => verdict)).toEqual(["pass", "pass", "inconclusive"]);
    expect(given).toEqual([PIN, PIN]);

    const kept = [
      ...(await readAll(home)),
      ...(await readAll(workspace)),
      { file: "output", text: stdout + stderr + again.stdout + again.stderr },
      ...made.server.requests.map(({ text }) => ({ file: "request", text })),
    ];
    const names = kept.map(({ file }) => file);
    for (const name of ["r.html", "r.xml", "retinue.db"]) expect(names).toContain(name);
    expect(names.filter((name) => name.includes("trace")).length).toBeGreaterThan(1);
    // Its pages were recorded, with the name in its place and the other number as it is.
    const everything = kept.map(({ text }) => text).join("\n");
    expect(everything).toContain("Paid with {{secret:CARD_PIN}}");
    expect(everything).toContain(`order ${ORDER}`);
    const pattern = new RegExp(String.raw`(?<![A-Za-z0-9+/=])${PIN}(?![A-Za-z0-9+/=])`);
    expect(
      kept.flatMap(({ file, text }) =>
        pattern.test(text) ? [`${file}: ${text.slice(text.search(pattern) - 60, text.search(pattern) + 20)}`] : [],
      ),
    ).toEqual([]);
  });

  test("that is not there blocks the case, and no model is asked", async () => {
    const made = await create("OTHER=1\n");
    const { result, code } = await run(made);
    expect(code).toBe(6);
    expect(result).toMatchObject({
      verdict: "blocked",
      reason:
        "The case needs CARD_PIN, which no .env file of the workspace holds. Write a line CARD_PIN=… into .env, or set the variable RETINUE_TEST_SECRET_CARD_PIN.",
    });
    expect(made.server.requests).toHaveLength(0);
  });

  test("may come from a variable that is set for test cases, and from no other", async () => {
    const made = await create("");
    const ended = await callRetinue(made.project, ["test", "pay.yaml", "--json", "--var", `baseUrl=${url}`], { CARD_PIN: PIN });
    expect((JSON.parse(ended.stdout) as SuiteResult).cases[0]?.verdict).toBe("blocked");
    const before = given.length;
    const set = { RETINUE_TEST_SECRET_CARD_PIN: PIN };
    const again = await callRetinue(made.project, ["test", "pay.yaml", "--json", "--var", `baseUrl=${url}`], set);
    const [result] = (JSON.parse(again.stdout) as SuiteResult).cases;
    expect(`${result?.verdict} ${result?.reason}`, again.stderr).toBe("pass All 3 steps passed.");
    expect(given.slice(before)).toEqual([PIN]);
  });
});

type Kept = { readonly file: string; readonly text: string };

/** Every file below a folder, and what is packed in archives; a picture is no text. */
const readAll = async (folder: string): Promise<readonly Kept[]> => {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const read = files
    .filter((file) => file.isFile() && file.name !== ".env" && !/\.a?png$/.test(file.name) && !file.parentPath.includes("cache"))
    .map(async (file): Promise<readonly Kept[]> => {
      const data = await readFile(join(file.parentPath, file.name));
      if (!file.name.endsWith(".zip")) return [{ file: file.name, text: data.toString("latin1") }];
      return readZipTexts(data).map((text, index) => ({ file: `${file.name}#${index}`, text }));
    });
  return (await Promise.all(read)).flat();
};
