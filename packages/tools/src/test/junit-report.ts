/** The JUnit XML that many runners write. Entities and outside definitions are not expanded by the parser. */
import type { TestFailure, TestReport } from "./test-runner.ts";

/** How a runner names things in it. */
export type JunitDialect = {
  readonly toName: (names: { readonly groups: readonly string[]; readonly className: string; readonly name: string }) => string;
  /** From the text of a failure to the place of it, where the attributes do not tell. */
  readonly toPlace: (text: string) => { readonly file: string; readonly line: number } | undefined;
};

export const readJunitReport = async (xml: string, dialect: JunitDialect): Promise<TestReport | undefined> => {
  const { DOMParser } = await import("linkedom");
  const document = new DOMParser().parseFromString(xml, "text/xml");
  if (document.querySelector("testsuites, testsuite") === null) return undefined;
  let passed = 0;
  let skipped = 0;
  const failures: TestFailure[] = [];
  for (const testcase of document.querySelectorAll("testcase")) {
    const failure = testcase.querySelector("failure") ?? testcase.querySelector("error");
    if (failure) failures.push(toFailure(testcase, failure, dialect));
    else if (testcase.querySelector("skipped")) skipped += 1;
    else passed += 1;
  }
  return { passed, failed: failures.length, skipped, failures };
};

/** The little that is used of an element; the parser's own types are those of a browser. */
type XmlElement = {
  readonly textContent: string | null;
  readonly parentElement: XmlElement | null;
  readonly tagName: string;
  getAttribute(name: string): string | null;
};

const toFailure = (testcase: XmlElement, failure: XmlElement, dialect: JunitDialect): TestFailure => {
  const groups: string[] = [];
  for (let at = testcase.parentElement; at; at = at.parentElement)
    if (at.tagName.toLowerCase() === "testsuite") groups.unshift(attributeOf(at, "name") ?? "");
  const text = (failure.textContent ?? "").trim();
  const message = [attributeOf(failure, "message") ?? "", text].filter((part) => part !== "").join("\n");
  const place = dialect.toPlace(text);
  const file = attributeOf(testcase, "file") ?? place?.file;
  const line = place?.line ?? Number(attributeOf(testcase, "line") ?? Number.NaN);
  return {
    name: dialect.toName({
      groups,
      className: attributeOf(testcase, "classname") ?? "",
      name: attributeOf(testcase, "name") ?? "",
    }),
    ...(file === undefined ? {} : { file }),
    ...(Number.isFinite(line) ? { line } : {}),
    message,
  };
};

/** The parser gives these three characters of attributes back as they stood in the source. */
const attributeOf = (element: XmlElement, name: string): string | undefined =>
  element.getAttribute(name)?.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
