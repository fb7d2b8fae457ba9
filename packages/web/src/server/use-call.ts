/** What a route gives, read when it is first shown and again when somebody asks. */
import type { ClientCall } from "@retinue/client";
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import type { RouteOutput } from "@retinue/protocol/routes";
import { useCallback, useEffect, useState } from "react";
import { call } from "./call.ts";

export type Called<Value> = {
  readonly value: Value | null;
  readonly error: ErrorValue | null;
  readonly isLoading: boolean;
  readonly again: () => void;
};

/** Null is not called. */
export const useCall = <Name extends ClientCall>(
  name: Name,
  given: Parameters<typeof call<Name>>[1] | null,
): Called<RouteOutput<Name>> => {
  const key = given === null ? null : JSON.stringify(given);
  const [state, setState] = useState<{
    readonly key: string | null;
    readonly value: RouteOutput<Name> | null;
    readonly error: ErrorValue | null;
  }>({
    key: null,
    value: null,
    error: null,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (key === null) return undefined;
    let isCurrent = true;
    // The key is the given value; it is read back so that the effect depends on nothing else.
    call(name, JSON.parse(key) as Parameters<typeof call<Name>>[1]).then(
      (value) => isCurrent && setState({ key, value, error: null }),
      (thrown: unknown) =>
        isCurrent &&
        setState((before) => ({ key, value: before.key === key ? before.value : null, error: toErrorValue(thrown) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [name, key, turn]);
  const again = useCallback(() => setTurn((count) => count + 1), []);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : null,
    error: isCurrent ? state.error : null,
    isLoading: key !== null && !isCurrent,
    again,
  };
};
