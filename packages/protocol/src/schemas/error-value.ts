/** The schema of an error inside events and results. */
import { z } from "zod";
import type { ErrorCode } from "../errors.ts";

/** A code that another version records and this one does not know is no reason to refuse the event. */
const errorCodeSchema: z.ZodType<ErrorCode> = z.custom<ErrorCode>(
  (value) => typeof value === "string" && value !== "",
  "expected an error code",
);

export const errorValueSchema = z
  .object({
    code: errorCodeSchema.meta({ title: "ErrorCode", description: "One of the codes in `docs/errors.md`." }),
    message: z.string().describe("What happened, and to what."),
    hint: z.string().exactOptional().describe("What to do about it."),
    retryAfterMs: z
      .number()
      .exactOptional()
      .describe("After how long a model's server wants to be asked again, where it said so."),
  })
  .meta({ title: "ErrorValue", description: "An error as it stands in events and results." });
