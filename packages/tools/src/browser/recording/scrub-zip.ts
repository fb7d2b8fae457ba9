/** Takes texts out of every file of a ZIP archive, as a trace of Playwright is one: entries are read by the archive's own directory and written anew. */
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";

type Entry = { readonly name: Buffer; readonly data: Buffer };

export const scrubZip = (zip: Buffer, scrub: (name: string, data: Buffer) => Buffer): Buffer =>
  writeZip(readZip(zip).map(({ name, data }) => ({ name, data: scrub(name.toString("utf8"), data) })));

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;

const readZip = (zip: Buffer): readonly Entry[] => {
  let end = zip.length - 22;
  while (end >= 0 && zip.readUInt32LE(end) !== END) end -= 1;
  if (end < 0) throw new Error("it is no ZIP archive");
  const count = zip.readUInt16LE(end + 10);
  const entries: Entry[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (zip.readUInt32LE(at) !== CENTRAL) throw new Error("its directory is broken");
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const [nameBytes, extraBytes, commentBytes] = [
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
    ];
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(from, from + size);
    entries.push({ name: zip.subarray(at + 46, at + 46 + nameBytes), data: method === 0 ? packed : inflateRawSync(packed) });
    at += 46 + nameBytes + extraBytes + commentBytes;
  }
  return entries;
};

const writeZip = (entries: readonly Entry[]): Buffer => {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data } of entries) {
    const packed = deflateRawSync(data);
    const common = Buffer.alloc(26);
    // Version 2.0, names in UTF-8, deflated, no time.
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([toBytes(LOCAL), common, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([toBytes(CENTRAL), Buffer.from([20, 0]), common, rest, name]));
    files.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const tail = Buffer.alloc(18);
  tail.writeUInt16LE(entries.length, 4);
  tail.writeUInt16LE(entries.length, 6);
  tail.writeUInt32LE(listed.length, 8);
  tail.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, listed, toBytes(END), tail]);
};

const toBytes = (signature: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(signature, 0);
  return bytes;
};
