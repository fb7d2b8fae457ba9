/** Open files of a program besides its input and outputs, from number 3 on: what it is given to read, and what it tells or hands to us. */
import type { ChildProcess } from "node:child_process";
import { Server } from "node:net";

export type Channel =
  | { readonly type: "give"; readonly bytes: Buffer }
  /** What is answered can be read from the same open file. */
  | { readonly type: "take"; readonly onData: (chunk: Buffer, answer: (text: string) => void) => void }
  /** A file that is open here. */
  | { readonly type: "file"; readonly descriptor: number }
  /** Sockets that another Node listens on and hands to us, each with `{ port }`. There can be one such channel. */
  | { readonly type: "servers"; readonly count: number; readonly onServer: (port: number, server: Server) => void };

const FIRST = 3;

/** What to start the program with, after its input and outputs. */
export const toStdio = (channels: readonly Channel[]): ("pipe" | "ipc" | number)[] =>
  channels.map((channel) => (channel.type === "file" ? channel.descriptor : channel.type === "servers" ? "ipc" : "pipe"));

/** The program must have been started with `toStdio` of the same channels. */
export const connectChannels = (child: ChildProcess, channels: readonly Channel[]): void => {
  for (const [index, channel] of channels.entries()) {
    if (channel.type === "file") continue;
    if (channel.type === "servers") {
      takeServers(child, channel);
      continue;
    }
    const stream = child.stdio[FIRST + index];
    // The program may close its end without reading or writing.
    stream?.on("error", () => undefined);
    if (channel.type === "give") {
      if (stream && "end" in stream) stream.end(channel.bytes);
    } else
      stream?.on("data", (chunk: Buffer) =>
        channel.onData(chunk, (text) => {
          if (stream && "write" in stream) stream.write(text);
        }),
      );
  }
};

const takeServers = (child: ChildProcess, { count, onServer }: Extract<Channel, { type: "servers" }>): void => {
  let taken = 0;
  child.on("message", (message: unknown, handle: unknown) => {
    const port = typeof message === "object" && message !== null && "port" in message ? message.port : undefined;
    if (!(handle instanceof Server)) return;
    if (typeof port !== "number" || taken >= count) return void handle.close();
    // It ends with the command, and does not keep this process alive by itself.
    handle.unref();
    onServer(port, handle);
    // The channel is closed from inside: a program whose channel is closed here never tells that its outputs are closed.
    taken += 1;
  });
};
