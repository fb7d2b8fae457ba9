/** A check in words, as agents are told what is expected, and reports show what was looked at. */
import type { Check, Matcher } from "./check.ts";
import { describeTarget } from "./target.ts";

export const describeCheck = (check: Check): string => {
  switch (check.check) {
    case "text":
      return `${check.in ? `the text of ${describeTarget(check.in)}` : "the text of the page"} ${describeMatcher(check)}${when(check.during)}`;
    case "value":
      return `the value of ${describeTarget(check.of)} ${describeMatcher(check)}`;
    case "count": {
      const { is, atLeast, atMost } = check;
      const bounds = [
        ...(is === undefined ? [] : [`${is}`]),
        ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
        ...(atMost === undefined ? [] : [`at most ${atMost}`]),
      ];
      return `the number of elements ${describeTarget(check.of)} is ${bounds.join(" and ")}`;
    }
    case "visible":
      return `${describeTarget(check.element)} is shown${when(check.during)}`;
    case "absent":
      return `${describeTarget(check.element)} is not shown`;
    case "state":
      return `${describeTarget(check.of)} is ${check.is}`;
    case "url":
      return `the address ${describeMatcher(check)}`;
    case "title":
      return `the title of the page ${describeMatcher(check)}`;
    case "download":
      return [
        "a file was downloaded",
        ...(check.name ? [`whose name ${describeMatcher(check.name)}`] : []),
        ...(check.content ? [`whose content ${describeMatcher(check.content)}`] : []),
        ...(check.minBytes === undefined ? [] : [`of at least ${check.minBytes} bytes`]),
      ].join(" ");
    case "request":
      return [
        check.count === 0
          ? "no request was made"
          : `${check.count ?? "a"} ${check.count === undefined || check.count === 1 ? "request was" : "requests were"} made`,
        ...(check.method === undefined ? [] : [`by ${check.method}`]),
        `whose address ${describeMatcher(check.url)}`,
        ...(check.status === undefined ? [] : [`with the status ${[check.status].flat().join(" or ")}`]),
        ...(check.body ? [`whose body ${describeMatcher(check.body)}`] : []),
        ...(check.response ? [`whose answer ${describeMatcher(check.response)}`] : []),
      ].join(" ");
    case "console":
      return `the console has at most ${check.errors ?? 0} errors${check.matching ? ` whose text ${describeMatcher(check.matching)}` : ""}`;
    case "command":
      return [
        `the command ${JSON.stringify(check.run)} ends with ${check.exit ?? 0}`,
        ...(check.output ? [`its output ${describeMatcher(check.output)}`] : []),
      ].join(", ");
    default:
      return check satisfies never;
  }
};

const when = (during: boolean | undefined): string => (during === true ? ", if only for a moment" : "");

export const describeMatcher = ({ equals, contains, matches, excludes }: Matcher): string =>
  [
    ...(equals === undefined ? [] : [`is ${JSON.stringify(equals)}`]),
    ...(contains === undefined ? [] : [`contains ${JSON.stringify(contains)}`]),
    ...(matches === undefined ? [] : [`matches /${matches}/`]),
    ...(excludes === undefined ? [] : [`does not contain ${JSON.stringify(excludes)}`]),
  ].join(" and ");
