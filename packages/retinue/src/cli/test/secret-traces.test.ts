/** Whatever a case types that nobody may see (a password, a one-time code, a code from a mail) reaches the application and stands nowhere else: no record, snapshot, picture's text, report or export. */
import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";

const PASSWORD = "correct-horse-battery";
const TOTP_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const MAIL_CODE = "735192";

const CASE = `title: Three factors
secrets: [SHOP_PASSWORD, SHOP_TOTP_SECRET]
steps:
  - action: Navigate to \${baseUrl}/
    expected: { check: visible, element: 'heading "Log in"' }
  - action: Type "{{secret:SHOP_PASSWORD}}" into the Password field, type "{{totp:SHOP_TOTP_SECRET}}" into the Code field, type "{{mail-code:ada@example.com}}" into the Mail code field and click the Log in button
    expected:
      - The page shows "Welcome"
      - { check: visible, element: 'heading "Welcome"' }
  - action: Click the Again button
    expected: { check: text, in: main, contains: Welcome }
`;

describe("what is typed in secret", { timeout: 180_000 }, () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  /** What the application was given. */
  const given: Record<string, string>[] = [];
  let address = "";
  let project: Project;

  /** The application and its Mailpit. A page shows everything that was typed, as bad ones do. */
  beforeAll(async () => {
    const mail = { ID: "m1", Created: new Date(Date.now() + 3_600_000).toISOString(), To: [{ Address: "ada@example.com" }] };
    const server = createServer((asked, answer) => {
      const url = new URL(asked.url ?? "/", "http://127.0.0.1");
      if (url.pathname === "/api/v1/search") return void answer.end(JSON.stringify({ messages: [mail] }));
      if (url.pathname.startsWith("/api/v1/message/"))
        return void answer.end(JSON.stringify({ Subject: "Your code", Text: `Your code is ${MAIL_CODE}.`, HTML: "" }));
      const typed = Object.fromEntries(url.searchParams);
      if (Object.keys(typed).length > 0) given.push(typed);
      const [password = "", code = "", mailed = ""] = ["password", "code", "mail"].map((name) => typed[name] ?? "");
      const isIn = password !== "" && /^\d{6}$/.test(code) && mailed !== "";
      answer.setHeader("content-type", "text/html");
      answer.end(
        isIn
          ? `<title>${code}</title><main><h1>Welcome</h1><p>${password} ${code} ${mailed}</p><form><input type=hidden name=password value="${password}"><input type=hidden name=code value="${code}"><input type=hidden name=mail value="${mailed}"><button>Again</button></form></main>`
          : `<title>Shop</title><h1>Log in</h1><form><label>Password <input name=password type=password></label><label>Code <input name=code></label><label>Mail code <input name=mail></label><button>Log in</button></form>`,
      );
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    project = await createProject();
    cleanups.push(project.remove, async () => server.close());
    const { workspace } = project;
    await writeFile(join(workspace, "three.yaml"), CASE);
    await writeFile(join(workspace, "suite.yaml"), `baseUrl: ${address}\ninbox: { mailpit: "${address}" }\n`);
    await writeFile(join(workspace, ".env"), `SHOP_PASSWORD=${PASSWORD}\nSHOP_TOTP_SECRET=${TOTP_SECRET}\n`);
  });
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  const readAll = async (folder: string): Promise<readonly { readonly file: string; readonly text: string }[]> => {
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    return Promise.all(
      files
        .filter((file) => file.isFile() && file.name !== ".env" && !file.parentPath.includes("cache"))
        .map(async (file) => ({ file: file.name, text: await readFile(join(file.parentPath, file.name), "latin1") })),
    );
  };

  test(
    "reaches the application, and stands in no record, output, report or exported test; nor when it is done again",
    { tags: ["long"] },
    async () => {
      const [html, junit, out] = ["r.html", "r.xml", "exported"].map((name) => join(project.workspace, name)) as [
        string,
        string,
        string,
      ];
      const ended = await callRetinue(project, [
        "test",
        ".",
        "--json",
        "-m",
        "offline/rules",
        "--html",
        html,
        "--junit",
        junit,
        "--export",
        "playwright",
        "--out",
        out,
      ]);
      const told = await callRetinue(project, ["test", ".", "-m", "offline/rules", "--rerun"]);
      const [result] = (JSON.parse(ended.stdout) as SuiteResult).cases as [CaseResult];
      expect(result.verdict, result.reason).toBe("pass");
      const typed = given.filter(({ password }) => password === PASSWORD);
      expect(typed).toHaveLength(4);
      const codes = [...new Set(typed.map(({ code = "" }) => code))];
      for (const code of codes) expect(code).toMatch(/^\d{6}$/);
      expect(typed.every(({ mail }) => mail === MAIL_CODE)).toBe(true);

      const kept = [
        ...(await readAll(project.home)),
        ...(await readAll(project.workspace)),
        { file: "output", text: ended.stdout + ended.stderr + told.stdout + told.stderr },
      ];
      expect(kept.map(({ file }) => file)).toEqual(expect.arrayContaining(["r.html", "r.xml", "three.spec.ts", "output"]));
      const everything = kept.map(({ text }) => text).join("\n");
      // What stands in their place shows that the pages were recorded.
      for (const reference of ["{{totp:SHOP_TOTP_SECRET}}", "{{mail-code:ada@example.com}}"])
        expect(everything).toContain(reference);
      for (const secret of [PASSWORD, TOTP_SECRET, MAIL_CODE, ...codes])
        expect(kept.flatMap(({ file, text }) => (text.includes(secret) ? [file] : []))).toEqual([]);
      const exported = kept.find(({ file }) => file === "three.spec.ts")?.text;
      expect(exported).toContain('totp(process.env["SHOP_TOTP_SECRET"] ?? "")');
      const [helper = ""] = /^const totp = [\s\S]*?^};$/m.exec(exported ?? "") ?? [];
      const script = `import { createHmac } from "node:crypto";\n${helper}\nDate.now = () => 1_111_111_109_000;\nconsole.log(totp(process.argv[1]!));`;
      const ran = (secret: string): string =>
        execFileSync(process.execPath, ["--input-type=module-typescript", "-e", script, secret], { encoding: "utf8" }).trim();
      // As RFC 6238 has it.
      expect(ran(`otpauth://totp/x?secret=${TOTP_SECRET}&digits=8`)).toBe("07081804");
      expect(ran(TOTP_SECRET)).toBe("081804");
    },
  );

  test("a one-time code needs its secret to be named by the case", async () => {
    const other = await createProject();
    cleanups.push(other.remove);
    await writeFile(join(other.workspace, "a.yaml"), CASE.replace(", SHOP_TOTP_SECRET", ""));
    const ended = await callRetinue(other, ["test", ".", "-m", "offline/rules", "--var", `baseUrl=${address}`]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('the secret "SHOP_TOTP_SECRET" is not named in "secrets"');
  });
});
