/**
 * An element of a page as test cases name it: by what a user perceives first (role and name, label, text), by stable attributes last.
 * `button "Save"` is short for a role and a name, as in the lines of a snapshot.
 */
import { z } from "zod";

const targetFields = z.strictObject({
  role: z.string().min(1).exactOptional().describe("Its accessible role: button, link, textbox, heading, row …"),
  name: z.string().min(1).exactOptional().describe("Its accessible name; with exact: false a part of it is enough."),
  text: z.string().min(1).exactOptional().describe("The text that it shows."),
  label: z.string().min(1).exactOptional().describe("The label of a field."),
  placeholder: z.string().min(1).exactOptional().describe("What stands in an empty field."),
  testId: z.string().min(1).exactOptional().describe("Its data-testid."),
  css: z.string().min(1).exactOptional().describe("A CSS selector, where nothing else names it."),
  exact: z.boolean().exactOptional().describe("Whether name and text must be the same to the letter; true by default."),
  nth: z.int().nonnegative().exactOptional().describe("Which of several that match, from 0."),
  frame: z.string().min(1).exactOptional().describe("The iframe that it is in: its name, title, or a CSS selector."),
  within: z.string().min(1).exactOptional().describe('What it is inside of, as role and name: dialog "Delete item".'),
});

const NAMES = ["role", "text", "label", "placeholder", "testId", "css"] as const;

/** `heading "Cart"`, `row "Anna" >> button "Delete"` is written as a mapping with `within`. */
const SHORT = /^([a-z]+)(?:\s+"((?:[^"\\]|\\.)*)")?$/;

export type Target = z.infer<typeof targetFields>;

/** Undefined where the text is no role with a name. */
export const parseShortTarget = (text: string): Target | undefined => {
  const [, role, name] = SHORT.exec(text.trim()) ?? [];
  if (role === undefined) return undefined;
  return { role, ...(name === undefined || name === "" ? {} : { name: name.replaceAll(/\\(.)/g, "$1") }) };
};

const quote = (value: string): string => JSON.stringify(value);

/** What an element is called in reports: `button "Save"`. */
export const describeTarget = ({ role, name, text, label, placeholder, testId, css, nth, frame, within }: Target): string => {
  const named =
    role !== undefined
      ? `${role}${name === undefined ? "" : ` ${quote(name)}`}`
      : label !== undefined
        ? `the field labelled ${quote(label)}`
        : placeholder !== undefined
          ? `the field with placeholder ${quote(placeholder)}`
          : text !== undefined
            ? `the text ${quote(text)}`
            : testId !== undefined
              ? `the element with test id ${quote(testId)}`
              : `the element ${css ?? ""}`;
  return [
    named,
    ...(nth === undefined ? [] : [`(number ${nth + 1})`]),
    ...(within === undefined ? [] : [`in ${within}`]),
    ...(frame === undefined ? [] : [`in frame ${quote(frame)}`]),
  ].join(" ");
};

/** As it is written: short or whole; parsed it is whole. */
export const targetSchema = z
  .union([
    z
      .string()
      .regex(SHORT, 'an element is written as role "name", such as button "Save", or as a mapping')
      .transform((text, context): Target => {
        const target = parseShortTarget(text);
        if (target) return target;
        context.addIssue({ code: "custom", message: "it is no role with a name" });
        return z.NEVER;
      }),
    targetFields.refine((target) => NAMES.some((name) => target[name] !== undefined), {
      message: `an element needs one of ${NAMES.join(", ")}`,
    }),
  ])
  .meta({ title: "Target", description: 'An element: role "name", or a mapping.' });
