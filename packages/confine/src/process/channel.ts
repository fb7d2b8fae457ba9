/** Open files of a program besides its input and outputs, from number 3 on: what it is given to read, and what it tells us. */
import type { ChildProcess } from "node:child_process";

export type Channel =
  | { readonly type: "give"; readonly bytes: Buffer }
  | { readonly type: "take"; readonly onData: (chunk: Buffer) => void };

const FIRST = 3;

/** The program must have been started with a pipe for each. */
export const connectChannels = ({ stdio }: Pick<ChildProcess, "stdio">, channels: readonly Channel[]): void => {
  for (const [index, channel] of channels.entries()) {
    const stream = stdio[FIRST + index];
    // The program may close its end without reading or writing.
    stream?.on("error", () => undefined);
    if (channel.type === "give" && stream && "end" in stream) stream.end(channel.bytes);
    else if (channel.type === "take") stream?.on("data", channel.onData);
  }
};
