/** One-time codes by time (RFC 6238), from a secret as authenticator apps are given it: base32, or an `otpauth://totp/` address. */
import { createHmac } from "node:crypto";
import { RetinueError } from "@retinue/protocol";

export type TotpKey = {
  readonly key: Uint8Array;
  readonly algorithm: "sha1" | "sha256" | "sha512";
  readonly digits: number;
  readonly periodMs: number;
};

export const totp = ({ key, algorithm, digits, periodMs }: TotpKey, atMs: number): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / periodMs)));
  const digest = createHmac(algorithm, key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  const number = digest.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** digits).padStart(digits, "0");
};

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Throws `tool_failed`; its message does not show the secret. */
export const parseTotpKey = (secret: string): TotpKey => {
  const address = /^otpauth:/i.test(secret.trim()) ? URL.parse(secret.trim()) : null;
  const field = (name: string): string | null => address?.searchParams.get(name) ?? null;
  const key = toBytes(address === null ? secret : (field("secret") ?? ""));
  const algorithm = (field("algorithm") ?? "SHA1").toLowerCase().replace("-", "");
  const [digits, seconds] = [Number(field("digits") ?? 6), Number(field("period") ?? 30)];
  const isKnown = algorithm === "sha1" || algorithm === "sha256" || algorithm === "sha512";
  if (key === null || !isKnown || ![6, 7, 8].includes(digits) || !(seconds > 0))
    throw new RetinueError("tool_failed", "The secret is none that one-time codes can be made from, so that nothing was typed.", {
      hint: "Give it as base32, as an authenticator app takes it, or as an otpauth://totp/ address.",
    });
  return { key, algorithm, digits, periodMs: seconds * 1000 };
};

const toBytes = (text: string): Uint8Array | null => {
  const letters = text.toUpperCase().replaceAll(/[\s=-]/g, "");
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const letter of letters) {
    const value = ALPHABET.indexOf(letter);
    if (value < 0) return null;
    held = ((held << 5) | value) & 0xf_ff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
  }
  return bytes.length === 0 ? null : Uint8Array.from(bytes);
};
