/** No test process dials anything but this machine, whatever the code under test does: a connection elsewhere fails before it is made. */
import type { LookupFunction } from "node:net";
import { BlockList, Socket, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const isHere = (address: string): boolean => loopback.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

const refused = (host: string): Error => Object.assign(new Error(`a test dialled ${host}`), { code: "ECONNREFUSED" });

type Target = { host?: unknown; path?: unknown; lookup?: LookupFunction };
type Connect = (this: Socket, ...parameters: unknown[]) => Socket;

/** Node hands its own calls over as one normalised array, whose first element says where to. */
const targetOf = (parameters: readonly unknown[]): Target => {
  const [first, second] = Array.isArray(parameters[0]) ? (parameters[0] as unknown[]) : parameters;
  if (typeof first === "object" && first !== null) return first;
  return typeof first === "string" && !/^\d+$/.test(first) ? { path: first } : { host: second };
};

/** A lookup of the code under test, which may only give addresses of this machine. */
const checked =
  (lookup: LookupFunction): LookupFunction =>
  (host, options, callback) =>
    lookup(host, options, (error, address, family) => {
      const found = Array.isArray(address) ? address.map((one) => one.address) : [address];
      const elsewhere = error ? undefined : found.find((one) => !isHere(one));
      callback(elsewhere === undefined ? error : refused(elsewhere), address, family);
    });

const MARK = Symbol.for("retinue.loopback-only");
const prototype = Socket.prototype as unknown as { connect: Connect & { [MARK]?: true } };

if (!prototype.connect[MARK]) {
  const connect = prototype.connect;
  const guarded: Connect & { [MARK]?: true } = function (this: Socket, ...parameters) {
    const target = targetOf(parameters);
    const host = typeof target.host === "string" ? target.host : "localhost";
    if (isIP(host) === 0 && target.lookup) target.lookup = checked(target.lookup);
    else if (typeof target.path !== "string" && host !== "localhost" && (isIP(host) === 0 || !isHere(host))) {
      queueMicrotask(() => this.destroy(refused(host)));
      return this;
    }
    return connect.apply(this, parameters);
  };
  guarded[MARK] = true;
  prototype.connect = guarded;
}
