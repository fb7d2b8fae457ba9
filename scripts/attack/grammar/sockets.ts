/** Unix sockets of other programs, by every name that they have: those that stand there, and those that are made while a command runs. */
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";
import type { Terrain } from "./terrain.ts";

/** A program of the user makes `late.sock` beside this file as soon as it stands there. */
export const WANTED = "want-a-socket";
export const LATE = "late.sock";

const CONNECTS: readonly ((name: string) => string)[] = [
  (name) => `python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('${name}'); s.send(b'hello')"`,
  (name) => `python3 -c "import socket; a,b=socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b'hello', '${name}')"`,
  (name) =>
    `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0) or die; connect(S,pack_sockaddr_un("${name}")) or die; print "on"'`,
  (name) => `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer => "${name}") or die'`,
];

export const drawSocketCommand = (random: Random, { workspace, abstractSocket, sharedSocket }: Terrain): string => {
  const name = pick(random, [
    `${workspace}/app.sock`,
    "app.sock",
    "./src/../app.sock",
    `/proc/self/cwd/app.sock`,
    `\\0${abstractSocket}`,
    sharedSocket,
    LATE,
    `${workspace}/${LATE}`,
  ]);
  const connect = `${pick(random, CONNECTS)(name)} 2>&1 | tail -1`;
  const from = pick(random, ["", "", "cd src/.. && ", `ln -sfn ${workspace} here; `]);
  const once = `${from}${connect}`;
  return name.endsWith(LATE) ? `touch ${WANTED}; for i in 1 2 3 4 5 6; do sleep 0.1; ${once}; done; rm -f ${WANTED}` : once;
};
