/** A model behind a wire protocol: one request is a gate to pass, an exchange, and a reader, as often as the retries say. */
import type { Model, ModelRequest } from "../contract.ts";
import { runAttempts } from "../retry.ts";
import type { Connections } from "../transport/connections.ts";
import { getConnections } from "../transport/connections.ts";
import type { Endpoint } from "../transport/endpoint.ts";
import { Exchange } from "../transport/exchange.ts";
import type { AnswerReader, ExchangeOptions } from "../transport/exchange.ts";
import { SYSTEM_TIMING } from "../transport/timing.ts";
import type { WireOptions } from "./wire-options.ts";

export type WireProtocol = {
  readonly endpoint: Endpoint;
  readonly toBody: (request: ModelRequest) => string;
  /** `bodyChars` is the size of the request, for estimates. */
  readonly createReader: (request: ModelRequest, bodyChars: number) => AnswerReader;
};

export const createWireModel = (options: WireOptions, protocol: WireProtocol): Model => {
  const { gate, retry: settings, streamIdleMs: idleMs, timing = SYSTEM_TIMING, count } = options;
  return {
    id: options.id,
    price: options.price,
    ...(options.contextWindow === undefined ? {} : { contextWindow: options.contextWindow }),
    stream: (request, signal) => {
      let bodyChars = 0;
      const start = (connections: Connections, onSettled: ExchangeOptions["onSettled"]): Exchange => {
        // Put together for each attempt: it is cheap, and nobody holds it while the model thinks.
        const body = protocol.toBody(request);
        bodyChars = body.length;
        const reader = protocol.createReader(request, bodyChars);
        const { endpoint } = protocol;
        return new Exchange(connections, body, { endpoint, reader, signal, idleMs, nowDate: timing.date, onSettled });
      };
      return runAttempts({
        gate,
        settings,
        signal,
        timing,
        ...(count === undefined ? {} : { toCounted: (answer) => count(answer, request, bodyChars) }),
        start: (onSettled) => {
          const connections = getConnections();
          return connections instanceof Promise
            ? connections.then((ready) => start(ready, onSettled))
            : start(connections, onSettled);
        },
      });
    },
  };
};
