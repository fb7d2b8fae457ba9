/**
 * How this process comes to listen inside the network of a sandbox: before the command, a copy of Node opens the ports there and hands the open
 * sockets out to us. No process and no socket file of ours stays inside; what connects there is accepted out here.
 */
import { openSync } from "node:fs";

/** Numbers of open files inside. */
export type ListeningFiles = { readonly node: number; readonly channel: number };

const SCRIPT = `
const net = require("node:net");
const fail = (why) => { console.error("sandbox: " + why); process.exit(1); };
const ports = process.argv.slice(1).map(Number);
const next = () => {
  const port = ports.shift();
  if (port === undefined) return process.exit(0);
  const server = net.createServer();
  server.on("error", (error) => fail("port " + port + " cannot be opened: " + error.message));
  server.listen({ port, host: "127.0.0.1" }, () => process.send({ port }, server, undefined, (error) => (error ? fail(error.message) : next())));
};
next();
`;

/** Lines for sh; the command must not inherit a channel that is closed before it starts. */
export const toListening = ({ node, channel }: ListeningFiles, ports: readonly number[]): string =>
  [
    `NODE_OPTIONS= NODE_EXTRA_CA_CERTS= /proc/self/fd/${node} -e '${SCRIPT}' ${ports.join(" ")} || { echo "sandbox: it has no network"; exit 125; }`,
    "unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE",
    `exec ${node}>&- ${channel}>&-`,
  ].join("\n");

let descriptor: number | undefined;

/** The program that we are run by, open: its folder need not be seen inside. */
export const openNode = (): number => (descriptor ??= openSync(process.execPath, "r"));
