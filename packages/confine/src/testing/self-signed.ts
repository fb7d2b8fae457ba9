/** A certificate for this machine, made anew for each test, so that no key lies in the repository. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** As PEM. */
export type Certificate = { readonly key: string; readonly cert: string };

export const createSelfSigned = ({
  names,
  addresses,
}: {
  names: readonly string[];
  addresses: readonly string[];
}): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const name = sequence(set(sequence(oid("550403"), element(0x0c, Buffer.from("retinue test")))));
  const alternatives = sequence(
    ...names.map((host) => element(0x82, Buffer.from(host))),
    ...addresses.map((address) => element(0x87, Buffer.from(address.split(".").map(Number)))),
  );
  const extensions = [
    sequence(oid("551d11"), element(0x04, alternatives)),
    sequence(oid("551d13"), element(0x01, Buffer.from([0xff])), element(0x04, sequence(element(0x01, Buffer.from([0xff]))))),
  ];
  const now = Date.now();
  const body = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(new Date(now - 3_600_000)), time(new Date(now + 3_600_000))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, sequence(...extensions)),
  );
  const signature = element(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]));
  const der = sequence(body, algorithm, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${(der.match(/.{1,64}/g) ?? []).join("\n")}\n-----END CERTIFICATE-----\n`,
  };
};

const element = (tag: number, content: Buffer): Buffer => {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};

const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, Buffer.concat(parts));
const set = (...parts: readonly Buffer[]): Buffer => element(0x31, Buffer.concat(parts));
const integer = (bytes: Buffer): Buffer => element(0x02, bytes);
const oid = (hex: string): Buffer => element(0x06, Buffer.from(hex, "hex"));
const time = (date: Date): Buffer => element(0x18, Buffer.from(date.toISOString().replaceAll(/[-:T]|\.\d+/g, "")));
