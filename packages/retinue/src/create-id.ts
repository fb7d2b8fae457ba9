/** Ids that sort by the time they were made and cannot be guessed. */
import { randomBytes } from "node:crypto";

const TIME_CHARS = 9;

export const createId = (): string => Date.now().toString(36).padStart(TIME_CHARS, "0") + randomBytes(10).toString("hex");
