/** Calls of the server by the names of its routes, over the client that everybody uses. A refusal is an error of ours. */
import { ApiError, type ClientCall, createClient } from "@retinue/client";
import { RetinueError } from "@retinue/protocol";
import type { RouteInput, RouteOutput } from "@retinue/protocol/routes";

export type Given<Name extends ClientCall> = {
  readonly [Part in keyof RouteInput<Name> as RouteInput<Name>[Part] extends undefined ? never : Part]: RouteInput<Name>[Part];
};

export const client = createClient();

/** Told where the server no longer knows who asks. */
export const signedOut = { listeners: new Set<() => void>() };

const toOurs = (thrown: unknown): unknown => {
  if (!(thrown instanceof ApiError)) return thrown;
  if (thrown.status === 401) for (const listener of signedOut.listeners) listener();
  const hint =
    thrown.code === "unreachable"
      ? "It may have been stopped: start `retinue serve` again; this page connects by itself."
      : thrown.hint;
  return new RetinueError(
    thrown.code === "unreachable" ? "internal" : thrown.code,
    thrown.message,
    hint === undefined ? {} : { hint },
  );
};

export const call = async <Name extends ClientCall>(name: Name, given: Given<Name>): Promise<RouteOutput<Name>> => {
  // Every call takes what its route has; the compiler cannot follow that through a name.
  const ask = client[name] as unknown as (given: Given<Name>) => Promise<RouteOutput<Name>>;
  try {
    return await ask(given);
  } catch (thrown) {
    throw toOurs(thrown);
  }
};
