/** Where a feed writes to: a socket or a stream of server-sent events, with what waits in it measured. */
export type Sink = {
  /** `flushed` is called when the bytes have left this process, or never will. */
  readonly send: (frame: Frame, flushed: () => void) => void;
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: () => number;
  readonly close: (code: number, reason: string) => void;
};

/** One frame, encoded once for all who get it. `lastSeq` is that of the last recorded event in it. */
export type Frame = { readonly data: Buffer; readonly lastSeq: number };

export const toFrame = (text: string, lastSeq = 0): Frame => ({ data: Buffer.from(text), lastSeq });
