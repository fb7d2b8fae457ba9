/** Routes of the server itself: signing in, and what it is. */
import { z } from "zod";
import { jsonSchema } from "../schemas/json.ts";
import { doneSchema } from "./fields.ts";
import { defineRoute } from "./route.ts";

export const SERVER_ROUTES = {
  signIn: defineRoute({
    summary: "Takes the token of the link, or the password, for a cookie.",
    body: z.strictObject({ token: z.string().max(500).optional(), password: z.string().max(1_000).optional() }),
    response: doneSchema,
    isPublic: true,
  }),
  signOut: defineRoute({
    summary: "Takes the cookie away.",
    body: z.strictObject({}),
    response: doneSchema,
  }),
  status: defineRoute({
    summary: "The version of the server, and how many sockets are open.",
    response: z.object({ version: z.string(), startedAt: z.string(), sockets: z.number(), openApprovals: z.number() }),
  }),
  openApi: defineRoute({
    summary: "This description.",
    response: z.record(z.string(), jsonSchema),
    isOpen: true,
  }),
};
