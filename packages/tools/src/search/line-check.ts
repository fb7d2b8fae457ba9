/**
 * Whether lines that a search found stand in files that may be seen. A search walks by names, and a folder may have given way to a link while it did:
 * what is about to be shown is compared with the file itself, opened and judged where it lies.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import path from "node:path";
import type { IsSecret } from "@retinue/confine";
import { isPrivate, liesAt } from "@retinue/confine";
import type { ConfirmLines, FoundLine } from "./match-report.ts";

export type LineCheck = {
  /** The folder that was searched, where it really lies. */
  readonly folder: string;
  readonly workspace: string;
  readonly isSecret: IsSecret;
};

const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export const createLineCheck =
  ({ folder, workspace, isSecret }: LineCheck): ConfirmLines =>
  (file, lines) => {
    const absolute = path.join(folder, file);
    if (isPrivate(absolute, workspace)) return undefined;
    if (isSecret(path.relative(workspace, absolute).split(path.sep).join("/"))) return undefined;
    let number: number;
    try {
      number = openSync(absolute, FLAGS);
    } catch {
      return undefined;
    }
    try {
      if (!fstatSync(number).isFile() || !liesAt(number, absolute)) return undefined;
      const isThere = createComparison(number);
      return lines.filter(isThere);
    } catch {
      return undefined;
    } finally {
      closeSync(number);
    }
  };

/** What ripgrep puts behind a line that it cut. */
const CUT = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/;
/** Larger files in another encoding are not compared, and so not shown. */
const MOST_DECODED_BYTES = 64 * 1024 * 1024;

const createComparison = (number: number): ((line: FoundLine) => boolean) => {
  const mark = readAt(number, 0, 3);
  const encoding =
    mark[0] === 0xff && mark[1] === 0xfe ? "utf-16le" : mark[0] === 0xfe && mark[1] === 0xff ? "utf-16be" : undefined;
  if (encoding !== undefined) {
    // ripgrep tells where bytes stand after it has decoded them.
    const decoded = fstatSync(number).size > MOST_DECODED_BYTES ? "" : new TextDecoder(encoding).decode(readFileSync(number));
    return ({ text }) => decoded.includes(withoutCut(text));
  }
  // A byte order mark is neither shown nor counted.
  const first = mark.equals(UTF8_MARK) ? UTF8_MARK.length : 0;
  return ({ text, offset }) => {
    const wanted = withoutCut(text);
    // Bytes that are no UTF-8 are shown as three of them each, so that there are not too few.
    return readAt(number, first + offset, Buffer.byteLength(wanted))
      .toString("utf8")
      .startsWith(wanted);
  };
};

const UTF8_MARK = Buffer.from("\uFEFF", "utf8");

const withoutCut = (text: string): string => text.replace(CUT, "");

const readAt = (number: number, offset: number, length: number): Buffer => {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(number, buffer, 0, length, offset));
};
