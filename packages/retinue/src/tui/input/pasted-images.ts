/**
 * Images that are pasted or dropped as paths: a terminal gives the path as text, quoted or escaped in its own way. Each becomes a mark in the text that is
 * being typed, `[image cart.png]`, and the picture goes with the text for as long as its mark stands in it.
 */
import { constants, open } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ImagePart } from "@retinue/protocol";
import type { EditedText } from "./text-editor.ts";

export type PastedImage = { readonly name: string; readonly part: ImagePart };

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;
const WORD = /'([^']*)'|"([^"]*)"|((?:\\.|[^\s'"\\])+)/gy;

/** The paths that a pasted text consists of, and nothing else: undefined where it is any other text. */
export const toImagePaths = (text: string): readonly string[] | undefined => {
  const trimmed = text.trim();
  if (trimmed.length > 10_000 || !IMAGE.test(trimmed.replace(/['"]$/, ""))) return undefined;
  // A path with blanks that nobody escaped is one path.
  if (path.isAbsolute(trimmed) && !/[\n'"\\]/.test(trimmed) && (trimmed.match(/\.(?:png|jpe?g|gif|webp)\b/gi) ?? []).length === 1)
    return [trimmed];
  const words: string[] = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < trimmed.length) {
    const [, single, double, bare] = WORD.exec(trimmed) ?? [];
    const word = single ?? double ?? bare?.replaceAll(/\\(.)/g, "$1");
    if (word === undefined || !IMAGE.test(word)) return undefined;
    words.push(word.startsWith("file://") ? toFilePath(word) : word);
    const blank = /\s*/y;
    blank.lastIndex = WORD.lastIndex;
    WORD.lastIndex += blank.exec(trimmed)?.[0].length ?? 0;
  }
  return words;
};

const toFilePath = (url: string): string => {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
};

/** Throws where it is no image that a model could be shown. */
export const readPastedImage = async (named: string, from: string, home: string | undefined): Promise<PastedImage> => {
  const { formatBytes, imageObstacle, readImageHeader } = await import("@retinue/confine");
  const file = path.resolve(from, home === undefined ? named : named.replace(/^~(?=\/)/, home));
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error("it is no file");
    const obstacle = imageObstacle({ size: stats.size });
    if (obstacle !== undefined) throw new Error(`it has ${formatBytes(stats.size)}; ${obstacle}`);
    const bytes = await handle.readFile();
    const header = readImageHeader(bytes);
    if (!header) throw new Error("it is no image");
    const tooLarge = imageObstacle({ size: bytes.length, ...header });
    if (tooLarge !== undefined) throw new Error(`it has ${header.width}×${header.height} pixels; ${tooLarge}`);
    return { name: path.basename(file), part: { type: "image", mediaType: header.mediaType, data: bytes.toString("base64") } };
  } finally {
    await handle.close();
  }
};

/** A mark that is not taken. */
export const markImage = (name: string, taken: ReadonlyMap<string, ImagePart>): string => {
  const plain = name.replaceAll(/[[\]\p{C}]/gu, "_");
  for (let number = 1; ; number += 1) {
    const mark = `[image ${plain}${number === 1 ? "" : ` #${number}`}]`;
    if (!taken.has(mark)) return mark;
  }
};

/** Those whose marks stand in the text. */
export const imagesIn = (text: string, images: ReadonlyMap<string, ImagePart>): readonly ImagePart[] =>
  [...images].filter(([mark]) => text.includes(mark)).map(([, part]) => part);

/** A mark is deleted as a whole; undefined where none stands before the cursor. */
export const deleteMark = ({ text, cursor }: EditedText, images: ReadonlyMap<string, ImagePart>): EditedText | undefined => {
  const before = text.slice(0, cursor);
  const mark = [...images.keys()].find((one) => before.endsWith(one));
  if (mark === undefined) return undefined;
  const from = cursor - mark.length;
  return { text: text.slice(0, from) + text.slice(cursor), cursor: from };
};
