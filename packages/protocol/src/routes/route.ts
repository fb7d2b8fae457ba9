/**
 * What a route of the server is, as data: how it is called, what goes in and what comes out. The server checks both, the client has its types
 * from it, and the OpenAPI document is made from it.
 */
import type { z } from "zod";

export const ROUTE_METHODS = ["GET", "POST", "PUT", "DELETE"] as const;
export type RouteMethod = (typeof ROUTE_METHODS)[number];

/** Where a route is found. Parameters of the path are written `:name`. */
export type RoutePlace = readonly [method: RouteMethod, path: `/api/${string}`];

export type Route = {
  /** One line: what it does or gives. */
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The largest body in bytes, where it may be larger than usual. */
  readonly maxBody?: number;
  /** Absent where the answer is no JSON: bytes, or a stream. */
  readonly response?: z.ZodType;
  /** What the answer is, where it is no JSON. */
  readonly media?: string;
  /** 200 by default. */
  readonly status?: 200 | 201;
  /** The answer is checked and sent as it is, with what newer records may carry besides. */
  readonly isOpen?: boolean;
  /** Whoever has neither token nor cookie may call it. */
  readonly isPublic?: boolean;
};

/** Keeps the exact types of the schemas. */
export const defineRoute = <const R extends Route>(route: R): R => route;
