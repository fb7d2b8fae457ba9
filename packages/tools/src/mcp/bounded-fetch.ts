/** `fetch` whose answers are bounded: a body as a whole, and in a stream of events each event, since the stream itself may live for days. */

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const MOST_BYTES = 16 * 1024 * 1024;
const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** `onBreach` is told when an answer is cut off for its size. */
export const createBoundedFetch =
  (onBreach: () => void): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isEvents = response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") ?? false;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(createBound(isEvents, onBreach)), { status, statusText, headers });
  };

const createBound = (isEvents: boolean, onBreach: () => void): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0;
  let isAtLineStart = true;
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (isEvents)
        for (const [index, byte] of chunk.entries())
          if (byte === LINE_END) {
            // An empty line ends an event.
            if (isAtLineStart) bytes = chunk.length - index - 1;
            isAtLineStart = true;
          } else if (byte !== CARRIAGE_RETURN) isAtLineStart = false;
      if (bytes <= MOST_BYTES) return controller.enqueue(chunk);
      controller.error(new Error("more than 16 MiB at once"));
      return onBreach();
    },
  });
};
