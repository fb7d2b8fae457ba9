/**
 * A passed case as an ordinary test of Playwright: what was done, and every check of the case. Prose, which only a model judged, stands in it as a comment,
 * and the test says that it does not cover it.
 */
import type { Check, CheckOf, Matcher, Target, TestCase } from "@retinue/protocol/test-case";
import { describeCheck } from "@retinue/protocol/test-case";
import type { Json, JsonObject } from "@retinue/protocol";
import { toExpectations } from "../plan/expectations.ts";
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
      ...checks.flatMap((check) => [`    // ${oneLine(describeCheck(check))}`, `    ${toExpect(check)}`]),
      ...prose.map((one) => `    // Not covered, since only a model can judge it: ${oneLine(one)}`),
      "  });",
    ];
  });
  return `${[
    `/** Written by retinue test --export playwright from a case that passed. */`,
    `import { execFileSync } from "node:child_process";`,
    `import { readFile } from "node:fs/promises";`,
    `import { expect, test, type Page } from "@playwright/test";`,
    "",
    WATCH,
    "",
    ...(testCase.browser?.viewport ? [`test.use({ viewport: ${JSON.stringify(testCase.browser.viewport)} });`, ""] : []),
    ...(testCase.browser?.locale === undefined ? [] : [`test.use({ locale: ${text(testCase.browser.locale)} });`, ""]),
    ...(testCase.browser?.timezone === undefined ? [] : [`test.use({ timezoneId: ${text(testCase.browser.timezone)} });`, ""]),
    `test(${text(testCase.title)}, async ({ page }) => {`,
    `  const seen = watch(page);`,
    ...(testCase.dialogs ?? []).map(
      ({ message, answer, text: typed }) =>
        `  page.on("dialog", (dialog) => (${message === undefined ? "true" : `dialog.message().includes(${text(message)})`} ? ${answer === "accept" ? `dialog.accept(${typed === undefined ? "" : text(typed)})` : "dialog.dismiss()"} : undefined));`,
    ),
    ...body,
    "});",
  ].join("\n")}\n`;
};

/** What happened since the step began, for checks of requests, downloads and the console. */
const WATCH = `/** What has happened since a step began. */
const watch = (page: Page) => {
  let requests: { method: string; url: string; status: number; body: string }[] = [];
  let downloads: { name: string; content: () => Promise<string> }[] = [];
  let errors: string[] = [];
  page.on("response", (response) => {
    const request = response.request();
    requests.push({ method: request.method(), url: response.url(), status: response.status(), body: request.postData() ?? "" });
  });
  page.on("download", (download) =>
    downloads.push({ name: download.suggestedFilename(), content: async () => readFile(await download.path(), "utf8") }),
  );
  page.on("console", (message) => message.type() === "error" && !message.text().startsWith("Failed to load resource") && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  return {
    begin: () => void ([requests, downloads, errors] = [[], [], []]),
    requests: () => requests,
    downloads: () => downloads,
    errors: () => errors,
  };
};
const shell = (command: string) => execFileSync("bash", ["-c", command], { encoding: "utf8" });`;

const toLine = ({ tool, input, locator }: RecordedAct): string => {
  const given = isObject(input) ? input : {};
  const element = toElement(locator, given);
  const value = (name: string): string => text(textOf(given[name]));
  if (tool === "browser_navigate")
    return typeof given["url"] === "string" ? `await page.goto(${value("url")});` : `await page.${goOf(given["go"])}();`;
  if (tool === "shell" || tool === "execute_command") return `shell(${value("command")});`;
  if (tool === "browser_wait") return toWait(given);
  if (element === null) return `test.fixme(true, ${text(`${tool} cannot be written as a line of Playwright`)});`;
  switch (tool) {
    case "browser_click":
      return `await ${element}.${given["double"] === true ? "dblclick" : "click"}();`;
    case "browser_type":
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
      return `test.fixme(true, ${text(`${tool} cannot be written as a line of Playwright`)});`;
  }
};

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

/** Secrets are taken from the environment of the test, by their names. */
const withSecrets = (value: string): string => {
  const parts = value.split(/\{\{secret:([^}]+)\}\}/);
  if (parts.length === 1) return text(value);
  return parts
    .map((part, at) => (at % 2 === 1 ? `(process.env[${text(part)}] ?? "")` : part === "" ? null : text(part)))
    .filter((part) => part !== null)
    .join(" + ");
};

const toExpect = (check: Check): string => {
  switch (check.check) {
    case "text":
      return matchers(check, (matcher) => expectText(check.in ? target(check.in) : `page.locator("body")`, "Text", matcher));
    case "value":
      return matchers(check, (matcher) => expectText(target(check.of), "Value", matcher));
    case "visible":
      return `await expect(${target(check.element)}.first()).toBeVisible();`;
    case "absent":
      return `await expect(${target(check.element)}.filter({ visible: true })).toHaveCount(0);`;
    case "count":
      return toCountExpect(check);
    case "state":
      return toStateExpect(check);
    case "url":
      return matchers(check, (matcher) => expectPage("URL", matcher));
    case "title":
      return matchers(check, (matcher) => expectPage("Title", matcher));
    case "download":
      return [
        ...(check.name
          ? [`await expect.poll(() => seen.downloads().some(({ name }) => ${condition("name", check.name)})).toBe(true);`]
          : [`await expect.poll(() => seen.downloads().length).toBeGreaterThan(0);`]),
        ...(check.content
          ? [
              `expect(await Promise.all(seen.downloads().map(({ content }) => content())).then((all) => all.some((one) => ${condition("one", check.content ?? {})}))).toBe(true);`,
            ]
          : []),
      ].join(" ");
    case "request":
      return `await expect.poll(() => seen.requests().filter(({ method, url, status, body }) => ${[
        condition("url", check.url),
        ...(check.method === undefined ? ["method !== ''"] : [`method === ${text(check.method)}`]),
        ...(check.status === undefined ? ["status > 0"] : [`${JSON.stringify([check.status].flat())}.includes(status)`]),
        ...(check.body ? [condition("body", check.body)] : ["body !== undefined"]),
      ].join(" && ")}).length).${check.count === undefined ? "toBeGreaterThan(0)" : `toBe(${check.count})`};`;
    case "console":
      return `expect(seen.errors()${check.matching ? `.filter((one) => ${condition("one", check.matching)})` : ""}.length).toBeLessThanOrEqual(${check.errors ?? 0});`;
    case "command":
      return (check.exit ?? 0) === 0
        ? check.output
          ? `expect([shell(${text(check.run)})].every((one) => ${condition("one", check.output)})).toBe(true);`
          : `shell(${text(check.run)});`
        : `expect(() => shell(${text(check.run)})).toThrow();`;
    default:
      return check satisfies never;
  }
};

const toCountExpect = ({ of, is, atLeast, atMost }: CheckOf<"count">): string =>
  [
    ...(is === undefined ? [] : [`await expect(${target(of)}.filter({ visible: true })).toHaveCount(${is});`]),
    ...(atLeast === undefined
      ? []
      : [`await expect.poll(() => ${target(of)}.filter({ visible: true }).count()).toBeGreaterThanOrEqual(${atLeast});`]),
    ...(atMost === undefined
      ? []
      : [`await expect.poll(() => ${target(of)}.filter({ visible: true }).count()).toBeLessThanOrEqual(${atMost});`]),
  ].join(" ");

const toStateExpect = ({ of, is }: CheckOf<"state">): string => {
  const on = `await expect(${target(of)})`;
  switch (is) {
    case "checked":
      return `${on}.toBeChecked();`;
    case "unchecked":
      return `${on}.not.toBeChecked();`;
    case "enabled":
      return `${on}.toBeEnabled();`;
    case "disabled":
      return `${on}.toBeDisabled();`;
    case "focused":
      return `${on}.toBeFocused();`;
    case "selected":
      return `${on}.toHaveAttribute("aria-selected", "true");`;
    case "expanded":
      return `${on}.toHaveAttribute("aria-expanded", "true");`;
    case "collapsed":
      return `${on}.toHaveAttribute("aria-expanded", "false");`;
    default:
      return is satisfies never;
  }
};

const target = ({
  role,
  name,
  text: shown,
  label,
  placeholder,
  testId,
  css,
  exact = true,
  nth,
  frame,
  within,
}: Target): string => {
  const root =
    frame === undefined
      ? "page"
      : `page.frameLocator(${text(/^[\w -]+$/.test(frame) ? `iframe[title="${frame}"], iframe[name="${frame}"]` : frame)})`;
  const [, aroundRole, aroundName] = /^([a-z]+)(?:\s+"(.*)")?$/.exec(within ?? "") ?? [];
  const place =
    aroundRole === undefined
      ? root
      : `${root}.getByRole(${text(aroundRole)} as never${aroundName === undefined ? "" : `, { name: ${text(aroundName)} }`})`;
  const own =
    role !== undefined
      ? `getByRole(${text(role)} as never${name === undefined ? "" : `, { name: ${text(name)}, exact: ${exact} }`})`
      : label !== undefined
        ? `getByLabel(${text(label)}, { exact: ${exact} })`
        : placeholder !== undefined
          ? `getByPlaceholder(${text(placeholder)}, { exact: ${exact} })`
          : shown !== undefined
            ? `getByText(${text(shown)}, { exact: ${exact} })`
            : testId !== undefined
              ? `getByTestId(${text(testId)})`
              : `locator(${text(css ?? "")})`;
  return `${place}.${own}${nth === undefined ? "" : `.nth(${nth})`}`;
};

const matchers = (matcher: Matcher, one: (matcher: Matcher) => string): string =>
  (["equals", "contains", "matches", "excludes"] as const)
    .flatMap((kind) => (matcher[kind] === undefined ? [] : [one({ [kind]: matcher[kind] })]))
    .join(" ");

const expectText = (locator: string, what: "Text" | "Value", { equals, contains, matches, excludes }: Matcher): string => {
  if (equals !== undefined) return `await expect(${locator}).toHave${what}(${text(equals)});`;
  if (contains !== undefined)
    return what === "Text"
      ? `await expect(${locator}).toContainText(${text(contains)});`
      : `await expect(${locator}).toHaveValue(new RegExp(${text(escapePattern(contains))}));`;
  if (matches !== undefined) return `await expect(${locator}).toHave${what}(new RegExp(${text(matches)}, "u"));`;
  return what === "Text"
    ? `await expect(${locator}).not.toContainText(${text(excludes ?? "")});`
    : `await expect(${locator}).not.toHaveValue(new RegExp(${text(escapePattern(excludes ?? ""))}));`;
};

const expectPage = (what: "URL" | "Title", { equals, contains, matches, excludes }: Matcher): string => {
  if (equals !== undefined) return `await expect(page).toHave${what}(${text(equals)});`;
  if (contains !== undefined) return `await expect(page).toHave${what}(new RegExp(${text(escapePattern(contains))}));`;
  if (matches !== undefined) return `await expect(page).toHave${what}(new RegExp(${text(matches)}, "u"));`;
  return `await expect(page).not.toHave${what}(new RegExp(${text(escapePattern(excludes ?? ""))}));`;
};

/** A condition on a variable of the exported test. */
const condition = (name: string, { equals, contains, matches, excludes }: Matcher): string =>
  [
    ...(equals === undefined ? [] : [`${name}.trim() === ${text(equals)}`]),
    ...(contains === undefined ? [] : [`${name}.includes(${text(contains)})`]),
    ...(matches === undefined ? [] : [`new RegExp(${text(matches)}, "u").test(${name})`]),
    ...(excludes === undefined ? [] : [`!${name}.includes(${text(excludes)})`]),
  ].join(" && ");

const text = (value: string): string =>
  JSON.stringify(value)
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);

const oneLine = (value: string): string => value.replaceAll(/\s+/g, " ").trim();

const escapePattern = (value: string): string => value.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

const isObject = (value: Json): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
