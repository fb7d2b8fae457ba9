/** What a schema is made of, as zod keeps it, for those who walk schemas: the documents and the tests. */
import type { z } from "zod";

export type SchemaDef = z.core.$ZodTypes["_zod"]["def"];

export const defOf = (schema: z.core.$ZodType): SchemaDef =>
  // Every schema that zod makes has one of these.
  (schema as z.ZodType).def as unknown as SchemaDef;
