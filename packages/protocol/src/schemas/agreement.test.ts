/** The comparison of written types with schemas tells apart what a reader of events would trip over. */
import { expect, test } from "vitest";
import { z } from "zod";
import type { Agreement, Agrees } from "./agreement.ts";
import { RECORDED_SCHEMAS } from "./event-schemas.ts";

type Written = { readonly a: string; readonly b?: number; readonly c: readonly { readonly d: "x" | "y" }[] };

const same = z.object({ a: z.string(), b: z.number().exactOptional(), c: z.array(z.object({ d: z.enum(["x", "y"]) })) });
const withoutOptional = same.omit({ b: true });
const requiredInstead = same.extend({ b: z.number() });
const undefinedToo = same.extend({ b: z.number().optional() });
const oneMore = same.extend({ e: z.string().exactOptional() });
const widerBelow = same.extend({ c: z.array(z.object({ d: z.string() })) });

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the type is what is tested
const agrees = <Answer extends true>(): Answer => true as Answer;

test("a schema that says the same agrees; one that differs in a field, below it or in its being optional does not compile", () => {
  expect(agrees<Agrees<Written, z.output<typeof same>>>()).toBe(true);
  // @ts-expect-error an optional field is missing
  agrees<Agrees<Written, z.output<typeof withoutOptional>>>();
  // @ts-expect-error an optional field is required
  agrees<Agrees<Written, z.output<typeof requiredInstead>>>();
  // @ts-expect-error an optional field may also be undefined
  agrees<Agrees<Written, z.output<typeof undefinedToo>>>();
  // @ts-expect-error there is a field more
  agrees<Agrees<Written, z.output<typeof oneMore>>>();
  // @ts-expect-error a field of a field has a wider type
  agrees<Agrees<Written, z.output<typeof widerBelow>>>();
});

const changed = { ...RECORDED_SCHEMAS, "run.started": RECORDED_SCHEMAS["run.started"].omit({ resumed: true }) };
const { "run.parked": parked, ...lacking } = RECORDED_SCHEMAS;

test("an event whose schema was changed, or that has none, does not compile", () => {
  expect(agrees<Agreement<"run.started" | "run.parked", typeof RECORDED_SCHEMAS>["run.started"]>()).toBe(true);
  // @ts-expect-error `resumed` is missing
  agrees<Agreement<"run.started", typeof changed>["run.started"]>();
  // @ts-expect-error there is no schema
  agrees<Agreement<"run.parked", typeof lacking>["run.parked"]>();
  expect(parked.def.type).toBe("object");
});
