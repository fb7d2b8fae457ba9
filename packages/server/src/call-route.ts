/** One call of a route: what comes in is checked by its schemas, what goes out too. */
import { RetinueError } from "@retinue/protocol";
import { ROUTES, type Route, type RouteInput } from "@retinue/protocol/routes";
import type { z } from "zod";
import type { CallName, Calls } from "./backend.ts";
import { readJson } from "./safety/read-json.ts";

/** Where a route names nothing larger. */
const USUAL_BODY = 256 * 1024;

export type Asking = {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
};

const check = (schema: z.ZodType, value: unknown, what: string): unknown => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? ` at ${issue.path.map(String).join(".")}` : "";
  throw new RetinueError(
    "request_invalid",
    `The ${what} is not as it should be${where}: ${issue?.message ?? "it does not fit"}.`,
  );
};

export const decodeBody = async (route: Route, request: Request): Promise<unknown> => {
  if (route.body === undefined) return undefined;
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new RetinueError("request_media_type", `The body is declared as ${type ?? "nothing"}, and only JSON is taken.`);
  return check(route.body, await readJson(request, route.maxBody ?? USUAL_BODY), "body");
};

export const decodeInput = async (route: Route, { request, params, query }: Asking): Promise<RouteInput<CallName>> => {
  const input = {
    params: route.params && check(route.params, params, "path"),
    query: route.query && check(route.query, query, "query"),
    body: await decodeBody(route, request),
  };
  // The schemas of the route have just agreed.
  return input as RouteInput<CallName>;
};

/** Throws `internal` where the answer is not what the route promises: it is ours to mend, and nobody's to read. */
export const encodeOutput = (name: string, route: Route, answer: unknown): Response => {
  const parsed = route.response?.safeParse(answer);
  if (parsed?.success === false)
    throw new RetinueError(
      "internal",
      `The answer of ${name} is not as its route promises: ${parsed.error.issues[0]?.path.join(".")}.`,
    );
  return Response.json(route.isOpen === true ? answer : parsed?.data, {
    status: route.status ?? 200,
    headers: { "Cache-Control": "no-store" },
  });
};

export const callRoute = async (calls: Calls, name: CallName, asking: Asking): Promise<Response> => {
  const route: Route = ROUTES[name];
  const input = await decodeInput(route, asking);
  const call = calls[name] as (input: RouteInput<CallName>) => Promise<unknown>;
  return encodeOutput(name, route, await call(input));
};
