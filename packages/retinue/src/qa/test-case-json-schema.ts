/** The schema of test cases as JSON Schema, for editors. `test-case.schema.json` holds it; a test keeps the two equal. */
import { testCaseSchema } from "@retinue/protocol/test-case";
import { z } from "zod";

export const testCaseJsonSchema = (): unknown =>
  z.toJSONSchema(testCaseSchema, { io: "input", reused: "ref", unrepresentable: "any" });
