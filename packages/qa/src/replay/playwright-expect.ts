/** Checks of a test case as expectations of Playwright, which mean the same: texts with white space collapsed, addresses whole or from their path on. */
import type { Check, CheckOf, Matcher, Target } from "@retinue/protocol/test-case";

/** What expects the same as a check. */
export const toExpect = (check: Check): string => {
  switch (check.check) {
    case "text":
      return matchers(check, (matcher) =>
        expectText(check.in ? target(check.in) : `page.locator("body")`, "Text", matcher, check),
      );
    case "value":
      return matchers(check, (matcher) => expectText(target(check.of), "Value", matcher, check));
    case "visible":
      return `await expect(${target(check.element)}.first()).toBeVisible(${only(check)});`;
    case "absent":
      return `await expect(${target(check.element)}.filter({ visible: true })).toHaveCount(0${also(check)});`;
    case "count":
      return toCountExpect(check);
    case "state":
      return toStateExpect(check);
    case "url":
      return `await expect(page).toHaveURL((url) => isAddress(url.href, ${matcherOf(check)})${also(check)});`;
    case "title":
      return `await expect.poll(async () => isMatch(await page.title(), ${matcherOf(check)})${also(check)}).toBe(true);`;
    case "download":
      return `await expect.poll(() => seen.downloads((name, content) => ${[
        ...(check.name ? [`isMatch(name, ${matcherOf(check.name)})`] : []),
        ...(check.content ? [`isMatch(content, ${matcherOf(check.content)})`] : []),
        `Buffer.byteLength(content) >= ${check.minBytes ?? 0}`,
      ].join(" && ")})${also(check)}).toBeGreaterThan(0);`;
    case "request":
      return `await expect.poll(() => seen.requests((request) => ${[
        `isAddress(request.url, ${matcherOf(check.url)})`,
        ...(check.method === undefined ? [] : [`request.method === ${text(check.method.toUpperCase())}`]),
        ...(check.status === undefined ? [] : [`${JSON.stringify([check.status].flat())}.includes(request.status)`]),
        ...(check.body ? [`isMatch(request.body, ${matcherOf(check.body)})`] : []),
        ...(check.response ? [`isMatch(request.response, ${matcherOf(check.response)})`] : []),
      ].join(" && ")})${also(check)}).${check.count === undefined ? "toBeGreaterThan(0)" : `toBe(${check.count})`};`;
    case "console":
      return `expect(seen.errors(${check.matching ? `(one) => isMatch(one, ${matcherOf(check.matching)})` : ""}).length).toBeLessThanOrEqual(${check.errors ?? 0});`;
    case "command":
      return [
        `const ran = shell(${text(check.run)}${check.timeoutMs === undefined ? "" : `, ${check.timeoutMs}`});`,
        `expect(ran.exit, ran.output).toBe(${check.exit ?? 0});`,
        ...(check.output ? [`expect(isMatch(ran.output, ${matcherOf(check.output)}), ran.output).toBe(true);`] : []),
      ].join(" ");
    default:
      return check satisfies never;
  }
};

const toCountExpect = (check: CheckOf<"count">): string => {
  const { of, is, atLeast, atMost } = check;
  return [
    ...(is === undefined ? [] : [`await expect(${target(of)}.filter({ visible: true })).toHaveCount(${is}${also(check)});`]),
    ...(atLeast === undefined
      ? []
      : [
          `await expect.poll(() => ${target(of)}.filter({ visible: true }).count()${also(check)}).toBeGreaterThanOrEqual(${atLeast});`,
        ]),
    ...(atMost === undefined
      ? []
      : [
          `await expect.poll(() => ${target(of)}.filter({ visible: true }).count()${also(check)}).toBeLessThanOrEqual(${atMost});`,
        ]),
  ].join(" ");
};

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

const expectText = (
  locator: string,
  what: "Text" | "Value",
  { equals, contains, matches, excludes }: Matcher,
  check: Within,
): string => {
  const end = `${also(check)});`;
  if (equals !== undefined) return `await expect(${locator}).toHave${what}(${text(equals)}${end}`;
  if (contains !== undefined)
    return what === "Text"
      ? `await expect(${locator}).toContainText(${text(contains)}${end}`
      : `await expect(${locator}).toHaveValue(new RegExp(${text(escapePattern(contains))})${end}`;
  if (matches !== undefined) return `await expect(${locator}).toHave${what}(new RegExp(${text(matches)}, "u")${end}`;
  return what === "Text"
    ? `await expect(${locator}).not.toContainText(${text(excludes ?? "")}${end}`
    : `await expect(${locator}).not.toHaveValue(new RegExp(${text(escapePattern(excludes ?? ""))})${end}`;
};

type Within = { readonly withinMs?: number };

/** How long it may take, as the options of an expectation. */
const only = ({ withinMs }: Within): string => (withinMs === undefined ? "" : `{ timeout: ${withinMs} }`);
const also = (check: Within): string => (check.withinMs === undefined ? "" : `, ${only(check)}`);

const matcherOf = ({ equals, contains, matches, excludes }: Matcher): string =>
  text({
    ...(equals === undefined ? {} : { equals }),
    ...(contains === undefined ? {} : { contains }),
    ...(matches === undefined ? {} : { matches }),
    ...(excludes === undefined ? {} : { excludes }),
  });

/** A value as a literal of the exported file: what pages are named never becomes code. */
export const toLiteral = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);

const text = toLiteral;

export const escapePattern = (value: string): string => value.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
