/** What a recorder tells of a person in front of a browser, act by act, with what the page showed after it. Secrets stand in it as references. */
import { z } from "zod";

export const personActSchema = z.object({
  kind: z.enum(["navigate", "click", "type", "select", "press", "upload"]),
  role: z.string().max(40),
  name: z.string().max(200),
  /** What it is in, where several are called alike. */
  place: z.string().max(100).nullable(),
  /** What was typed or chosen, the address, the key. */
  value: z.string().max(10_000),
  /** What a box or a list is after it: `checked`, `unchecked`, the value of the option. */
  state: z.string().max(200).nullable().default(null),
  secrecy: z.enum(["none", "secret", "code"]),
});

export type PersonAct = z.infer<typeof personActSchema>;

export type RecordedMoment = {
  readonly act: PersonAct;
  readonly seen: {
    readonly url: string;
    readonly title: string;
    /** Headings, dialogs and messages; none where the page was gone already. */
    readonly told: readonly { readonly role: string; readonly name: string; readonly text: string }[];
  };
};
