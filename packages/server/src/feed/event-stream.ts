/** A session as server-sent events, for simple clients. The id of an event is its sequence number, so that a browser resumes by itself. */
import type { SessionId } from "@retinue/protocol";
import type { IncomingMessage, ServerResponse } from "node:http";
import { COMMON_HEADERS, DATA_POLICY } from "../safety/response-headers.ts";
import type { Hubs } from "./hubs.ts";
import type { Frame, Sink } from "./sink.ts";

const KEEP_MS = 15_000;

/** Each frame is one event of the stream; a browser that comes back names the last id it had. */
const toText = ({ data, lastSeq }: Frame): string => `${lastSeq > 0 ? `id: ${lastSeq}\n` : ""}data: ${data.toString()}\n\n`;

/** False where there is no such session. */
export const streamSession = async (
  hubs: Hubs,
  { sessionId, afterSeq }: { readonly sessionId: SessionId; readonly afterSeq: number },
  { incoming, outgoing }: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse },
): Promise<boolean> => {
  let isOpen = false;
  const early: Frame[] = [];
  const begin = (): void => {
    isOpen = true;
    outgoing.writeHead(200, {
      ...COMMON_HEADERS,
      "Content-Security-Policy": DATA_POLICY,
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    for (const frame of early) outgoing.write(toText(frame));
  };
  const sink: Sink = {
    send: (frame, flushed) => {
      if (isOpen) outgoing.write(toText(frame), () => flushed());
      else {
        early.push(frame);
        setImmediate(flushed);
      }
    },
    waitingBytes: () => outgoing.writableLength,
    close: () => outgoing.destroy(),
  };
  const leave = await hubs.joinSession(sessionId, sink, afterSeq);
  if (leave === undefined) return false;
  begin();
  const keeping = setInterval(() => outgoing.write(": \n\n"), KEEP_MS).unref();
  const end = (): void => {
    clearInterval(keeping);
    leave();
  };
  outgoing.once("close", end);
  outgoing.on("error", () => outgoing.destroy());
  if (incoming.destroyed && outgoing.destroyed) end();
  return true;
};
