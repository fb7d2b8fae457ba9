/**
 * Puts pictures one after the other into an animated PNG, which every browser plays and any viewer of images shows. Pictures go in as they were compressed, so that no
 * encoder of video is needed. Those that are not of the form of the first are left out: one animation has one form.
 */
import { crc32 } from "node:zlib";

export type Frame = {
  readonly png: Buffer;
  /** How long it is shown. */
  readonly ms: number;
};

const SIGNATURE = Buffer.from("\u0089PNG\r\n\u001a\n", "latin1");
const MOST_MS = 65_535;

/** Undefined where there is no picture. */
export const toApng = (frames: readonly Frame[]): Buffer | undefined => {
  const [first] = frames;
  if (!first) return undefined;
  const head = partsOf(first.png, "IHDR")[0] ?? Buffer.alloc(0);
  const alike = frames.filter(({ png }) => partsOf(png, "IHDR")[0]?.equals(head) === true);
  let sequence = 0;
  const parts = alike.flatMap(({ png, ms }, index) => {
    const data = partsOf(png, "IDAT");
    const shown = toPart("fcTL", toControl(head, sequence++, ms));
    if (index === 0) return [shown, ...data.map((one) => toPart("IDAT", one))];
    return [shown, ...data.map((one) => toPart("fdAT", Buffer.concat([toUint32(sequence++), one])))];
  });
  // Played once.
  const count = toPart("acTL", Buffer.concat([toUint32(alike.length), toUint32(1)]));
  return Buffer.concat([SIGNATURE, toPart("IHDR", head), count, ...parts, toPart("IEND", Buffer.alloc(0))]);
};

/** The contents of all parts of this kind. */
export const partsOf = (png: Buffer, kind: string): readonly Buffer[] => {
  const found: Buffer[] = [];
  for (let at = SIGNATURE.length; at + 12 <= png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === kind) found.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return found;
};

/** The whole picture takes the place of the one before it. */
const toControl = (head: Buffer, sequence: number, ms: number): Buffer => {
  const control = Buffer.alloc(26);
  control.writeUInt32BE(sequence, 0);
  head.copy(control, 4, 0, 8);
  control.writeUInt16BE(Math.min(MOST_MS, Math.max(1, Math.round(ms))), 20);
  control.writeUInt16BE(1000, 22);
  return control;
};

const toPart = (kind: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
  return Buffer.concat([toUint32(data.length), body, toUint32(crc32(body))]);
};

const toUint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
};
