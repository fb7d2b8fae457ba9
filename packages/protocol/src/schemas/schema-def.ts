/** What a schema is made of, as zod keeps it, for those who walk schemas: the documents and the tests. */
import type { z } from "zod";

export type SchemaDef = z.core.$ZodTypes["_zod"]["def"];

export const defOf = (schema: z.core.$ZodType): SchemaDef =>
  // Every schema that zod makes has one of these.
  (schema as z.ZodType).def as unknown as SchemaDef;

/** The schema as it was when it got its title, before a field said what it means there. */
export const originOf = (schema: z.core.$ZodType): z.core.$ZodType => {
  // oxlint-disable-next-line no-underscore-dangle -- where zod keeps it
  const { parent } = schema._zod;
  return parent === undefined || (parent as z.ZodType).meta()?.title === undefined ? schema : originOf(parent);
};
