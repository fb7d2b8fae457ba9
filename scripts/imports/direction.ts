/**
 * The direction of the house as data: which rooms a room may import. `"store"` allows every entry of a package but its
 * `/testing`; `"model/contract"` allows that one entry. Changing the architecture means changing this table.
 */
import { isTestFile } from "./source-file.ts";

export const ROOMS = [
  "protocol",
  "model",
  "store",
  "client",
  "runtime",
  "confine",
  "tools",
  "agents",
  "engine",
  "server",
  "qa",
  "web",
  "retinue",
] as const;

export type Room = (typeof ROOMS)[number];

export const DIRECTION: Record<Room, readonly string[]> = {
  protocol: [],
  model: ["protocol"],
  store: ["protocol"],
  client: ["protocol"],
  runtime: ["protocol", "model/contract"],
  confine: ["protocol", "runtime"],
  tools: ["protocol", "runtime", "confine"],
  agents: ["protocol", "runtime"],
  engine: ["protocol", "runtime", "store"],
  server: ["protocol", "runtime", "store", "engine"],
  qa: ["protocol", "client"],
  web: ["protocol", "client"],
  retinue: ROOMS.filter((room) => room !== "web" && room !== "retinue").flatMap((room) => [room, `${room}/testing`]),
};

/** Rooms that act only through what they are handed. */
export const ROOMS_WITHOUT_IO: ReadonlySet<string> = new Set<Room>(["protocol", "runtime"]);

/** Rooms that run in a browser too, where there is nothing of Node. */
export const ROOMS_FOR_BROWSERS: ReadonlySet<string> = new Set<Room>(["protocol", "client"]);

/** The built-in modules of Node that reach outside the process. */
export const IO_BUILTINS: ReadonlySet<string> = new Set([
  "child_process",
  "cluster",
  "dgram",
  "dns",
  "dns/promises",
  "fs",
  "fs/promises",
  "http",
  "http2",
  "https",
  "net",
  "readline",
  "readline/promises",
  "repl",
  "sqlite",
  "tls",
  "tty",
  "worker_threads",
]);

export const isRoom = (name: string): name is Room => (ROOMS as readonly string[]).includes(name);

/** Whether a file of one room may import an entry (`""` for the main one) of another. Tests reach fakes and models besides. */
export const mayImport = (importer: { room: Room; file: string }, imported: { room: string; entry: string }): boolean => {
  const target = imported.entry === "" ? imported.room : `${imported.room}/${imported.entry}`;
  const allowed = DIRECTION[importer.room];
  if (allowed.includes(target)) return true;
  if (imported.entry !== "testing" && allowed.includes(imported.room)) return true;
  if (!isTestFile(importer.file)) return false;
  const isFake = imported.entry === "testing" || imported.entry.startsWith("testing/");
  return isFake || (imported.room === "model" && importer.file.includes(".test."));
};
