/**
 * How this process comes to listen inside the network of a sandbox: before the command, a small program opens the ports there and hands the open
 * sockets out to us over the channel by which Node processes hand over servers. No process and no socket file of ours stays inside; what connects
 * there is accepted out here. Perl does it in a tenth of the time that Node takes to start; where there is no Perl, Node does it.
 */
import { existsSync, openSync } from "node:fs";

export type PortOpener = { readonly type: "perl"; readonly sendmsg: number } | { readonly type: "node" };

/** Numbers of open files inside. */
export type ListeningFiles = { readonly channel: number; readonly node: number };

/** Never by PATH. */
const PERL = "/usr/bin/perl";
/** The number of sendmsg(2), which Perl has no name for. */
const SENDMSG: Partial<Record<NodeJS.Architecture, number>> = { x64: 46, arm64: 211 };

export const findPortOpener = (): PortOpener => {
  const sendmsg = SENDMSG[process.arch];
  return sendmsg !== undefined && existsSync(PERL) ? { type: "perl", sendmsg } : { type: "node" };
};

/** A socket that does not block (2049), bound to 127.0.0.1; sent as a message of one part with one open file beside it. */
const PERL_SCRIPT = `
my ($channel, $call, @ports) = @ARGV;
for my $port (@ports) {
  my $socket;
  socket($socket, 2, 2049, 0) && setsockopt($socket, 1, 2, 1) && bind($socket, pack("SnNx8", 2, $port, 0x7f000001)) && listen($socket, 511)
    or die "sandbox: port $port cannot be opened: $!\\n";
  my $text = qq({"cmd":"NODE_HANDLE","type":"net.Server","msg":{"port":$port}}\\n);
  my $part = pack("PQ", $text, length $text);
  my $files = pack("Qiiix4", 20, 1, 1, fileno $socket);
  my $message = pack("QLx4PQPQix4", 0, 0, $part, 1, $files, length $files, 0);
  syscall($call, $channel + 0, $message, 0) == length $text or die "sandbox: port $port cannot be handed over: $!\\n";
}
`;

const NODE_SCRIPT = `
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
export const toListening = (opener: PortOpener, { channel, node }: ListeningFiles, ports: readonly number[]): string => {
  const line =
    opener.type === "perl"
      ? `PERL5OPT= PERL5LIB= ${PERL} -e '${PERL_SCRIPT}' ${channel} ${opener.sendmsg} ${ports.join(" ")}`
      : `NODE_OPTIONS= NODE_EXTRA_CA_CERTS= /proc/self/fd/${node} -e '${NODE_SCRIPT}' ${ports.join(" ")}`;
  return [
    `${line} || { echo "sandbox: it has no network"; exit 125; }`,
    "unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE",
    `exec ${channel}>&- ${opener.type === "node" ? `${node}>&-` : ""}`,
  ].join("\n");
};

let descriptor: number | undefined;

/** The program that we are run by, open: its folder need not be seen inside. */
export const openNode = (): number => (descriptor ??= openSync(process.execPath, "r"));
