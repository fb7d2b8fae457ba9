/** What a route gives, asked again every second for as long as something of it is under way. */
import type { ClientCall } from "@retinue/client";
import type { RouteOutput } from "@retinue/protocol/routes";
import { useEffect } from "react";
import type { call } from "../../server/call.ts";
import { type Called, useCall } from "../../server/use-call.ts";

const POLL_MS = 1_000;

export const usePolled = <Name extends ClientCall>(
  name: Name,
  given: Parameters<typeof call<Name>>[1] | null,
  isUnderWay: (value: RouteOutput<Name>) => boolean,
): Called<RouteOutput<Name>> => {
  const called = useCall(name, given);
  const { value, again } = called;
  useEffect(() => {
    if (value === null || !isUnderWay(value)) return undefined;
    const timer = setTimeout(again, POLL_MS);
    return () => clearTimeout(timer);
    // What was read last decides; the question is the same every time.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [value, again]);
  return called;
};
