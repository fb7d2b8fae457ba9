/** Calls of the server by the names of its routes. What goes in and comes out is typed by the routes; a refusal is an error of ours. */
import { RetinueError, ROUTE_PLACES, type RouteName } from "@retinue/protocol";
import type { RouteInput, RouteOutput } from "@retinue/protocol/routes";

type Given<Name extends RouteName> = {
  readonly [Key in keyof RouteInput<Name> as RouteInput<Name>[Key] extends undefined ? never : Key]: RouteInput<Name>[Key];
};

export const toAddress = (
  path: string,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string => {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const asked = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  );
  return asked.size === 0 ? filled : `${filled}?${asked.toString()}`;
};

type Refusal = { readonly error?: { readonly code?: string; readonly message?: string; readonly hint?: string } };

const toError = async (response: Response): Promise<RetinueError> => {
  const refusal = (await response.json().catch(() => ({}))) as Refusal; // Whatever it is, only texts are taken from it.
  const message = refusal.error?.message ?? `The server answered ${response.status} ${response.statusText}.`;
  // The code is shown and never decided by.
  return new RetinueError(
    (refusal.error?.code ?? "internal") as "internal",
    message,
    refusal.error?.hint === undefined ? {} : { hint: refusal.error.hint },
  );
};

/** Told where the server no longer knows who asks. */
export const signedOut = { listeners: new Set<() => void>() };

export const call = async <Name extends RouteName>(name: Name, given: Given<Name>): Promise<RouteOutput<Name>> => {
  const [method, path] = ROUTE_PLACES[name];
  const { params, query, body } = given as {
    readonly params?: Record<string, unknown>;
    readonly query?: Record<string, unknown>;
    readonly body?: unknown;
  };
  const response = await fetch(toAddress(path, params, query), {
    method,
    credentials: "same-origin",
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  }).catch(() => {
    throw new RetinueError("internal", "The server cannot be reached.", {
      hint: "It may have been stopped: start `retinue serve` again; this page connects by itself.",
    });
  });
  if (response.status === 401) for (const listener of signedOut.listeners) listener();
  if (!response.ok) throw await toError(response);
  // The server has checked it against the same schema.
  return (await response.json()) as RouteOutput<Name>;
};
