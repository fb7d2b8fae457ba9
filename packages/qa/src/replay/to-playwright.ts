/**
 * A passed case as an ordinary test of Playwright: what was done, and every check of the case. Prose, which only a model judged, stands in it as a comment,
 * and the test says that it does not cover it.
 */
import type { Check, TestCase } from "@retinue/protocol/test-case";
import { describeCheck } from "@retinue/protocol/test-case";
import type { Json, JsonObject } from "@retinue/protocol";
import { toExpectations } from "../plan/expectations.ts";
import { escapePattern, toExpect, toLiteral } from "./playwright-expect.ts";
import type { RecordedAct, RecordedActs } from "./recorded-acts.ts";

/** Nothing but calls of locators with texts: what pages are named never becomes code. */
const SAFE_LOCATOR =
  /^(?:(?:getBy(?:Role|Text|Label|Placeholder|TestId|AltText|Title)|locator|contentFrame|first|last|nth|filter)\((?:[^'"`()\\;]|'(?:[^'\\]|\\.)*')*\)\.?)+$/;

export const toPlaywright = (testCase: TestCase, acts: RecordedActs): string => {
  const body = testCase.steps.flatMap(({ action, expected }, index) => {
    const { prose, checks } = toExpectations(expected);
    return [
      `  await test.step(${text(`${index + 1}. ${action}`)}, async () => {`,
      "    seen.begin();",
      ...(acts.steps.get(index + 1) ?? []).map((act) => `    ${toLine(act)}`),
      // What is seen only for a moment is looked for first.
      ...checks
        .toSorted((one, other) => Number(isBrief(other)) - Number(isBrief(one)))
        .flatMap((check) => [
          `    // ${oneLine(describeCheck(check))}`,
          `    ${check.check === "command" ? `{ ${toExpect(check)} }` : toExpect(check)}`,
        ]),
      ...prose.map((one) => `    // Not covered, since only a model can judge it: ${oneLine(one)}`),
      "  });",
    ];
  });
  const hasCodes = body.some((line) => line.includes("totp(process.env["));
  const { device, clock, timezone, ...rest } = testCase.browser ?? {};
  const used = { ...rest, ...(timezone === undefined ? {} : { timezoneId: timezone }) };
  return `${[
    `/** Written by retinue test --export playwright from a case that passed. */`,
    `import { spawnSync } from "node:child_process";`,
    ...(hasCodes ? [`import { createHmac } from "node:crypto";`] : []),
    `import { readFile } from "node:fs/promises";`,
    `import { ${device === undefined ? "" : "devices, "}expect, test, type Page } from "@playwright/test";`,
    "",
    WATCH,
    ...(hasCodes ? [TOTP] : []),
    "",
    ...(device === undefined ? [] : [`test.use({ ...devices[${text(device)}] });`]),
    ...(Object.keys(used).length === 0 ? [] : [`test.use(${text(used)});`, ""]),
    `test(${text(testCase.title)}, async ({ page }) => {`,
    ...(testCase.role === undefined
      ? []
      : [`  test.fixme(true, ${text(`It begins logged in as ${testCase.role}: give it a storageState.`)});`]),
    `  const seen = watch(page);`,
    ...(clock === undefined ? [] : [`  await page.clock.install({ time: ${text(clock)} });`]),
    ...(testCase.dialogs ?? []).map(
      ({ message, answer, text: typed }) =>
        `  page.on("dialog", (dialog) => (${message === undefined ? "true" : `dialog.message().includes(${text(message)})`} ? ${answer === "accept" ? `dialog.accept(${typed === undefined ? "" : text(typed)})` : "dialog.dismiss()"} : undefined));`,
    ),
    ...body,
    "});",
  ].join("\n")}\n`;
};

/** What happened since the step began, for checks of requests, downloads and the console. */
const WATCH = `type Matcher = { readonly equals?: string; readonly contains?: string; readonly matches?: string; readonly excludes?: string };
const collapse = (text: string) => text.replaceAll(/\\s+/gu, " ").trim();
const isMatch = (text: string, { equals, contains, matches, excludes }: Matcher) =>
  (equals === undefined || collapse(text) === collapse(equals)) &&
  (contains === undefined || collapse(text).includes(collapse(contains))) &&
  (matches === undefined || new RegExp(matches, "u").test(text.trim())) &&
  (excludes === undefined || !collapse(text).includes(collapse(excludes)));
/** An address is meant whole, or from its path on. */
const isAddress = (address: string, matcher: Matcher) => {
  const { pathname, search, hash } = new URL(address);
  return [address, pathname, pathname + search, pathname + search + hash].some((one) => isMatch(one, matcher));
};

/** What has happened since a step began. */
const watch = (page: Page) => {
  type Asked = { method: string; url: string; status: number; body: string; response: string };
  let requests: Promise<Asked>[] = [];
  let downloads: Promise<{ name: string; content: string }>[] = [];
  let errors: string[] = [];
  page.on("response", (response) => {
    const request = response.request();
    const [method, url, status, body] = [request.method(), response.url(), response.status(), request.postData() ?? ""];
    requests.push(response.text().catch(() => "").then((text) => ({ method, url, status, body, response: text })));
  });
  page.on("download", (download) =>
    downloads.push(download.path().then(async (path) => ({ name: download.suggestedFilename(), content: await readFile(path, "utf8") }))),
  );
  page.on("console", (message) => message.type() === "error" && !message.text().startsWith("Failed to load resource") && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  return {
    begin: () => void ([requests, downloads, errors] = [[], [], []]),
    requests: async (holds: (request: Asked) => boolean) => (await Promise.all(requests)).filter(holds).length,
    downloads: async (holds: (name: string, content: string) => boolean) =>
      (await Promise.all(downloads)).filter(({ name, content }) => holds(name, content)).length,
    errors: (holds: (text: string) => boolean = () => true) => errors.filter(holds),
  };
};
const shell = (command: string, timeout?: number) => {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], { encoding: "utf8", timeout });
  return { exit: status, output: stdout + stderr };
};`;

const toLine = ({ tool, input, locator }: RecordedAct): string => {
  const given = isObject(input) ? input : {};
  const element = toElement(locator, given);
  const value = (name: string): string => text(textOf(given[name]));
  if (tool === "browser_navigate")
    return typeof given["url"] === "string" ? `await page.goto(${value("url")});` : `await page.${goOf(given["go"])}();`;
  if (tool === "shell" || tool === "execute_command") return `expect(shell(${value("command")}).exit).toBe(0);`;
  if (tool === "browser_wait") return toWait(given);
  if (element === null) return unwritten(tool);
  switch (tool) {
    case "browser_click":
      return `await ${element}.${given["double"] === true ? "dblclick" : "click"}();`;
    case "browser_type":
      if (textOf(given["text"]).includes("{{mail-code:")) return unwritten("a code from a mail");
      return `await ${element}.fill(${withSecrets(textOf(given["text"]))});${given["submit"] === true ? ` await ${element}.press("Enter");` : ""}`;
    case "browser_select":
      return `await ${element}.selectOption(${JSON.stringify(given["values"] ?? [])});`;
    case "browser_press":
      return `await ${element}.press(${value("key")});`;
    case "browser_hover":
      return `await ${element}.hover();`;
    case "browser_upload":
      return `await ${element}.setInputFiles(${JSON.stringify(given["paths"] ?? [])});`;
    default:
      return unwritten(tool);
  }
};

const unwritten = (what: string): string => `test.fixme(true, ${text(`${what} cannot be written as a line of Playwright`)});`;

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

const goOf = (go: Json | undefined): string => (go === "back" ? "goBack" : go === "forward" ? "goForward" : "reload");

const toElement = (locator: string | null, { role, name }: JsonObject): string | null => {
  if (locator !== null && SAFE_LOCATOR.test(locator)) return `page.${locator}`;
  if (typeof role === "string")
    return `page.getByRole(${text(role)} as never${typeof name === "string" ? `, { name: ${text(name)}, exact: true }` : ""})`;
  return null;
};

const toWait = ({ text: shown, gone, url, seconds }: JsonObject): string => {
  if (typeof shown === "string") return `await expect(page.getByText(${text(shown)}).first()).toBeVisible();`;
  if (typeof gone === "string") return `await expect(page.getByText(${text(gone)})).toHaveCount(0);`;
  if (typeof url === "string") return `await expect(page).toHaveURL(new RegExp(${text(escapePattern(url))}));`;
  return `await page.waitForTimeout(${Number(seconds ?? 1) * 1000});`;
};

/** Secrets are taken from the environment of the test, by their names; one-time codes are made from them. */
const withSecrets = (value: string): string => {
  const parts = value.split(/\{\{((?:secret|totp):[^}]+)\}\}/);
  if (parts.length === 1) return text(value);
  return parts
    .map((part, at) => {
      if (at % 2 === 0) return part === "" ? null : text(part);
      const [kind, name = ""] = part.split(":");
      const secret = `(process.env[${text(name)}] ?? "")`;
      return kind === "totp" ? `totp${secret}` : secret;
    })
    .filter((part) => part !== null)
    .join(" + ");
};

/** Part of a test that types one-time codes. */
const TOTP = `/** A one-time code (RFC 6238) from a secret in base32, or from an otpauth:// address. */
const totp = (given: string) => {
  const field = (name: string, other: string) => (given.startsWith("otpauth:") ? new URL(given).searchParams.get(name) ?? other : other);
  const letters = field("secret", given.startsWith("otpauth:") ? "" : given).toUpperCase().replaceAll(/[\\s=-]/g, "");
  const bits = [...letters].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / Number(field("period", "30")))));
  const digest = createHmac(field("algorithm", "sha1").toLowerCase(), key).update(counter).digest();
  const digits = Number(field("digits", "6"));
  return String((digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fffffff) % 10 ** digits).padStart(digits, "0");
};`;

const isBrief = (check: Check): boolean => "during" in check && check.during === true;

const text = toLiteral;

const oneLine = (value: string): string => value.replaceAll(/\s+/g, " ").trim();

const isObject = (value: Json): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
