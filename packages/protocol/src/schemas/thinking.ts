/** The schema of how hard a model thinks. */
import { z } from "zod";
import { THINKING_LEVELS } from "../thinking.ts";

export const thinkingSchema = z.union([z.enum(THINKING_LEVELS), z.int().positive()]);
