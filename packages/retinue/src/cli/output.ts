/**
 * A stream to write to that may be closed by its reader at any time: then nothing more is written and `closed` is aborted.
 * Any other failure is thrown once, as `output_failed`; what comes after it is not written.
 */
import { RetinueError } from "@retinue/protocol";
import type { Writable } from "node:stream";

export type Output = {
  /** Settles when the stream can take more. */
  readonly write: (text: string) => Promise<void>;
  /** Aborted when the reader went away. */
  readonly closed: AbortSignal;
  /** Settles when everything was handed to the system. */
  readonly flush: () => Promise<void>;
  readonly isTerminal: boolean;
  /** How wide the terminal is now; undefined where there is none. */
  readonly columns: () => number | undefined;
  /** How many lines of it are seen at once. */
  readonly rows: () => number | undefined;
};

/** Any stream; that of a terminal says more. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

const GONE: ReadonlySet<string> = new Set(["EPIPE", "ERR_STREAM_DESTROYED", "ECONNRESET", "EIO", "ERR_STREAM_WRITE_AFTER_END"]);

/** The size of a terminal, as far as it tells it. */
export const screenOf = ({ rows, columns }: Output): { readonly rows?: number; readonly columns?: number } => {
  const [height, width] = [rows(), columns()];
  // A terminal that was just made may say that it has none.
  return { ...(height ? { rows: height } : {}), ...(width ? { columns: width } : {}) };
};

export const createOutput = (stream: OutputStream): Output => {
  const gone = new AbortController();
  let failure: RetinueError | undefined;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!GONE.has(error.code ?? ""))
      failure = new RetinueError("output_failed", `What was to be printed could not be written: ${error.message}.`, {
        cause: error,
      });
    gone.abort(error);
  });
  const settle = (): void => {
    const thrown = failure;
    failure = undefined;
    if (thrown) throw thrown;
  };
  return {
    closed: gone.signal,
    isTerminal: stream.isTTY === true,
    columns: () => (stream.isTTY === true ? stream.columns : undefined),
    rows: () => (stream.isTTY === true ? stream.rows : undefined),
    write: async (text) => {
      settle();
      if (text === "" || gone.signal.aborted || stream.write(text)) return;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          stream.off("drain", done);
          gone.signal.removeEventListener("abort", done);
          resolve();
        };
        stream.once("drain", done);
        gone.signal.addEventListener("abort", done, { once: true });
      });
      settle();
    },
    flush: async () => {
      if (!gone.signal.aborted)
        await new Promise<void>((resolve) => {
          stream.write("", () => resolve());
          gone.signal.addEventListener("abort", () => resolve(), { once: true });
        });
      settle();
    },
  };
};

const ignore = (): void => undefined;

/** For what is told beside: that it cannot be told is no reason to fail. */
export const createSideOutput = (stream: OutputStream): Output => {
  const output = createOutput(stream);
  return { ...output, write: (text) => output.write(text).catch(ignore), flush: () => output.flush().catch(ignore) };
};
