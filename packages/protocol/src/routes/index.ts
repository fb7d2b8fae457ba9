/** The routes of the server with their schemas: `@retinue/protocol/routes`. Paths alone, without zod, are in `@retinue/protocol`. */
import type { z } from "zod";
import type { RouteName } from "./places.ts";
import type { Route } from "./route.ts";
import { RUN_ROUTES } from "./run-routes.ts";
import { SERVER_ROUTES } from "./server-routes.ts";
import { SESSION_ROUTES } from "./session-routes.ts";
import { TEST_ROUTES } from "./test-routes.ts";
import { WORKSPACE_ROUTES } from "./workspace-routes.ts";

export const ROUTES = {
  ...SERVER_ROUTES,
  ...WORKSPACE_ROUTES,
  ...TEST_ROUTES,
  ...SESSION_ROUTES,
  ...RUN_ROUTES,
} satisfies Record<RouteName, Route>;

export type Routes = typeof ROUTES;

type OutputOf<R, Key extends keyof Route> = R extends { readonly [K in Key]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** What a route was called with, once it is checked. */
export type RouteInput<Name extends RouteName> = {
  readonly params: OutputOf<Routes[Name], "params">;
  readonly query: OutputOf<Routes[Name], "query">;
  readonly body: OutputOf<Routes[Name], "body">;
};

/** What a route answers. */
export type RouteOutput<Name extends RouteName> = OutputOf<Routes[Name], "response">;

export { FEED_PLACES, ROUTE_PLACES } from "./places.ts";
export type { RouteName } from "./places.ts";
export type { Route, RouteMethod, RoutePlace } from "./route.ts";
export { approvalItemSchema, messageItemSchema, runNodeSchema, searchHitSchema, sessionItemSchema } from "./session-schemas.ts";
export type { RunNodeItem } from "./session-schemas.ts";
export { pendingCaseSchema, testCaseItemSchema } from "./test-routes.ts";
export { agentItemSchema, problemSchema, workspaceItemSchema } from "./workspace-routes.ts";
export { MOST_IMAGE_CHARS, MOST_IMAGES } from "./fields.ts";
