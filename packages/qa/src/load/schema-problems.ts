/** What is wrong with a value, in words and with the path to it: of the forms that it may have, the one that was plainly meant is spoken of. */
import type { z } from "zod";

export type Fault = { readonly path: readonly PropertyKey[]; readonly message: string };

type Issue = z.core.$ZodIssue;

export const toFaults = (error: z.ZodError): readonly Fault[] => error.issues.flatMap((issue) => fromIssue(issue, []));

const fromIssue = (issue: Issue, above: readonly PropertyKey[]): readonly Fault[] => {
  const path = [...above, ...issue.path];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({ path: [...path, key], message: `"${key}" is no field here` }));
    case "invalid_type": {
      const name = path.at(-1);
      return [
        issue.input === undefined && issue.message.includes("received undefined")
          ? { path, message: `${name === undefined ? "it" : `"${String(name)}"`} is missing` }
          : { path, message: issue.message.replace("Invalid input: ", "") },
      ];
    }
    case "invalid_union":
      return fromUnion(issue, path);
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "invalid_key":
    case "invalid_value":
    case "not_multiple_of":
    case "too_big":
    case "too_small":
      return [{ path, message: issue.message.replace("Invalid input: ", "") }];
    default:
      return issue satisfies never;
  }
};

const fromUnion = (issue: z.core.$ZodIssueInvalidUnion, path: readonly PropertyKey[]): readonly Fault[] => {
  if (issue.errors.length === 0)
    return [
      {
        path,
        message: issue.message.replace("Invalid discriminator value. Expected", `"${String(path.at(-1))}" must be one of`),
      },
    ];
  // A form that the value has no resemblance to says nothing.
  const meant = issue.errors.filter((branch) => !branch.some(({ code, path: at }) => code === "invalid_type" && at.length === 0));
  const [best] = (meant.length > 0 ? meant : []).toSorted((a, b) => depthOf(b) - depthOf(a) || a.length - b.length);
  if (best) return best.flatMap((one) => fromIssue(one, path));
  if (issue.errors.every((branch) => branch.every((one) => one.message.includes("received undefined"))))
    return [{ path, message: `"${String(path.at(-1))}" is missing` }];
  const kinds = issue.errors.flatMap((branch) => branch.flatMap((one) => (one.code === "invalid_type" ? [one.expected] : [])));
  return [{ path, message: `it must be ${[...new Set(kinds)].join(" or ")}` }];
};

const depthOf = (issues: readonly Issue[]): number => Math.max(0, ...issues.map(({ path }) => path.length));
