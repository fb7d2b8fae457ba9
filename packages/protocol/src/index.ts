/** The words of Retinue, as data and types: nothing here does anything, and all of it runs in a browser. */
export * from "./asks-for-transfer.ts";
export * from "./call-task.ts";
export * from "./errors.ts";
export * from "./events.ts";
export * from "./grant.ts";
export * from "./guardrails.ts";
export * from "./ids.ts";
export * from "./json.ts";
export * from "./limits.ts";
export * from "./messages.ts";
export * from "./plan.ts";
export * from "./find-doubts.ts";
export * from "./result.ts";
export * from "./step-ending.ts";
export * from "./usage.ts";
export * from "./feed.ts";
export * from "./routes/places.ts";
