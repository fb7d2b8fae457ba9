/** How calls name an element of a page. */
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";

export const ELEMENT_FIELDS = {
  ref: z
    .string()
    .regex(/^(?:f\d+)?e\d+$/, "is no reference such as e12")
    .optional()
    .describe("Reference from the latest output of a browser tool, such as e12."),
  role: z.string().min(1).max(40).optional().describe("Accessible role, such as button or textbox."),
  name: z.string().min(1).max(300).optional().describe("Accessible name, with role."),
  description: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('The element in words, such as "email input" or "Delete button in the Notebook row".'),
} as const;

/** Beside the element of an act. */
export const WAIT_FIELD = {
  waitMs: z.int().min(0).max(60_000).optional().describe("How long to wait until it is there and ready; 10000 by default."),
} as const;

export type ElementInput = {
  readonly ref?: string | undefined;
  readonly role?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
};

export const isNamed = ({ ref, role, name, description }: ElementInput): boolean =>
  [ref, role, name, description].some((value) => value !== undefined);

export const unnamed = (): RetinueError =>
  new RetinueError("tool_failed", "No element is named, so that nothing was done.", {
    hint: "Give ref, or role and name, or a description.",
  });
