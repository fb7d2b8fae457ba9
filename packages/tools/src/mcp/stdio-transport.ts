/**
 * Talks to a server that we start: one JSON message a line. The server has a process group of its own and a clean environment, and ends with
 * all it started. What it prints is bounded: lines, noise between them and its error output.
 */
import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { connectChannels, toStdio } from "@retinue/confine";
import { endProcessTree, killGroup } from "@retinue/confine";
import type { ConfinedServer, ServerProgram } from "./confine-server.ts";
import { LineReader } from "./line-reader.ts";

export type StdioTransportOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Makes of the program one that runs in a sandbox; gives nothing where there is none. Absent: it is not wanted. */
  readonly confine?: ((program: ServerProgram) => Promise<ConfinedServer | undefined>) | undefined;
  /** Turns what was read into a message, or throws. */
  readonly parse: (value: unknown) => JSONRPCMessage;
  /** A line that the server printed for people. */
  readonly onPrint: (line: string) => void;
};

const MARK = "RETINUE_MCP_SERVER";
const MOST_LINE_BYTES = 16 * 1024 * 1024;
const MOST_PRINTED_LINE_BYTES = 8 * 1024;
const MOST_UNSENT_BYTES = 64 * 1024 * 1024;
/** Servers that greet on their standard output are common; those that do nothing else are not servers. */
const MOST_NOISE_LINES = 100;
/** How long a server may take to end by itself once its input is closed. */
const LEAVE_MS = 300;

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #options: StdioTransportOptions;
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #mark = "";
  #noise = 0;
  #confined: ConfinedServer | undefined;
  #ending: Promise<void> | undefined;
  /** Why the server ended; undefined where it was us. */
  #reason: string | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  async start(): Promise<void> {
    const { command, args, cwd, env, confine, onPrint } = this.#options;
    const mark = randomUUID();
    this.#mark = `${MARK}=${mark}`;
    this.#confined = await confine?.({ command, args, cwd, env });
    const { file, channels = [], ...program } = this.#confined ?? { file: command, args, env };
    if (this.#ending !== undefined) throw new Error("the server is no longer wanted");
    const child = spawn(file, [...program.args], {
      cwd,
      env: { ...program.env, [MARK]: mark },
      detached: true,
      stdio: ["pipe", "pipe", "pipe", ...toStdio(channels)],
      windowsHide: true,
      ...this.#confined?.owner,
    }) as ChildProcessByStdio<Writable, Readable, Readable>; // The first three are pipes, whatever follows them.
    this.#child = child;
    connectChannels(child, channels);
    if (child.pid !== undefined) watchOver(child.pid);
    child.once("exit", (code, signal) => {
      void this.#end(`it ended${code === null ? ` by ${signal ?? "a signal"}` : ` with exit code ${code}`}`);
    });
    // Writing to a server that is gone, or ending one that is going; its exit says why.
    child.on("error", () => undefined);
    child.stdin.on("error", () => undefined);
    const messages = new LineReader({ mostBytes: MOST_LINE_BYTES, onLine: (line) => this.#receive(line) });
    child.stdout.on("data", (chunk: Buffer) => {
      if (this.#ending === undefined && !messages.add(chunk)) void this.#end("it sent a message larger than 16 MiB");
    });
    const printed = new LineReader({ mostBytes: MOST_PRINTED_LINE_BYTES, cutLong: true, onLine: onPrint });
    child.stderr.on("data", (chunk: Buffer) => void printed.add(chunk));
    await once(child, "spawn");
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (stdin === undefined || this.#ending !== undefined) throw new Error("the server is not running");
    if (stdin.writableLength > MOST_UNSENT_BYTES) {
      void this.#end("it no longer reads what it is sent");
      throw new Error("the server no longer reads what it is sent");
    }
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  close(): Promise<void> {
    return this.#end(undefined);
  }

  #receive(line: string): void {
    if (this.#ending !== undefined || line.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      // A line of the log is no harm; a broken message is one, for whose answer a call would wait in vain.
      return line.startsWith("{") ? this.#endBroken(line) : this.#hear(line);
    }
    if (value === null || typeof value !== "object" || !("jsonrpc" in value)) return this.#hear(line);
    let message: JSONRPCMessage;
    try {
      message = this.#options.parse(value);
    } catch {
      return this.#endBroken(line);
    }
    this.onmessage?.(message);
  }

  #endBroken(line: string): void {
    void this.#end(`it sent what is no message of the protocol: ${line.slice(0, 200).toWellFormed()}`);
  }

  #hear(line: string): void {
    this.#noise += 1;
    this.#options.onPrint(line);
    if (this.#noise > MOST_NOISE_LINES) void this.#end("it prints to its standard output what is no message of the protocol");
  }

  #end(reason: string | undefined): Promise<void> {
    if (this.#ending === undefined) this.#reason = reason;
    this.#ending ??= this.#endOnce();
    return this.#ending;
  }

  async #endOnce(): Promise<void> {
    const child = this.#child;
    // Whoever waits for an answer is told now, not when the last process is gone.
    this.onclose?.();
    if (child?.pid === undefined) return;
    const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : Promise.resolve();
    child.stdin.end();
    await Promise.race([exited, sleep(LEAVE_MS)]);
    await endProcessTree({ group: child.pid, mark: this.#mark });
    for (const stream of child.stdio) stream?.destroy();
    if (child.connected) child.disconnect();
    this.#confined?.end();
    running.delete(child.pid);
  }
}

/** The groups that run now, ended with this process should it exit in between. */
const running = new Set<number>();
let watching = false;

const watchOver = (group: number): void => {
  running.add(group);
  if (watching) return;
  watching = true;
  process.once("exit", () => running.forEach(killGroup));
};
