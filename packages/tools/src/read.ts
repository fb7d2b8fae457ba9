/**
 * `read`: a file, an image or an artifact. Text comes as numbered lines, `   12→text`; when more follows than was given, a last line in
 * brackets says so.
 */
import type { Tool, ToolContext, ToolOutput } from "@retinue/runtime";
import { defineTool, isArtifactPath, readArtifactPath } from "@retinue/runtime";
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";
import { withNearestFiles } from "./nearest-files.ts";
import type { ImageHeader } from "@retinue/confine";
import { IMAGE_HEADER_BYTES, imageObstacle, readImageHeader } from "@retinue/confine";
import { noteRead } from "@retinue/confine";
import type { OpenedFile } from "@retinue/confine";
import { createSecretCheck, openRegularFile } from "@retinue/confine";
import { formatBytes, MAX_OUTPUT_CHARS, toModelText } from "@retinue/confine";
import type { LineRange } from "@retinue/confine";
import { readLineRange } from "@retinue/confine";
import { toAbsolutePath, toShownPath } from "@retinue/confine";

const MAX_LINES = 2000;
const MAX_LINE_CHARS = 2000;
const CHUNK_BYTES = 256 * 1024;
/** A NUL among the first bytes marks what is no text. */
const SNIFF_BYTES = 8 * 1024;
const COUNT_BYTES = 64 * 1024 * 1024;

const INPUT = z.object({
  path: z.string().min(1),
  offset: z.number().int().min(1).optional().describe("First line, from 1."),
  limit: z.number().int().min(1).max(MAX_LINES).optional(),
});

const MOST_KEPT_BYTES = 200_000;

export type ReadInput = z.infer<typeof INPUT>;

export type ReadOptions = {
  /** Globs of protected paths, relative to the workspace, that the user has set free. */
  readonly unprotected?: readonly string[];
};

export const createReadTool = ({ unprotected }: ReadOptions = {}): Tool<ReadInput> => {
  const isSecret = createSecretCheck(unprotected);
  return defineTool({
    name: "read",
    description: 'Reads a text file with line numbers, an image, or a kept output ("artifact:art_…").',
    input: INPUT,
    effect: "read",
    touches: ({ path }) => ({ paths: isArtifactPath(path) ? [] : [path] }),
    execute: async (input, context) => {
      const artifact = await readArtifactPath(input.path, context.artifacts);
      if (artifact !== undefined) return toOutput(await readRange(input, [Buffer.from(artifact)]), input, input.path);
      const absolute = toAbsolutePath(context.workspace, input.path);
      const shown = toShownPath(context.workspace, absolute);
      const file = await openRegularFile({ workspace: context.workspace, absolute, shown, isSecret }).catch(
        async (thrown: unknown) => {
          throw await withNearestFiles(thrown, { ...pickPlace(context), tool: "read", shown, isSecret });
        },
      );
      try {
        const stats = await file.handle.stat({ bigint: true });
        const output = await readOpened({ file, shown, input, context });
        noteRead(context.run, absolute, stats, await readShort(file));
        return output;
      } finally {
        await file.handle.close();
      }
    },
  });
};

const pickPlace = ({ workspace, scope, signal }: ToolContext): Pick<ToolContext, "workspace" | "scope" | "signal"> => ({
  workspace,
  scope,
  signal,
});

/** All of a short text, to show later what was changed in it. */
const readShort = async ({ handle, size }: OpenedFile): Promise<string | undefined> => {
  if (size > MOST_KEPT_BYTES) return undefined;
  const buffer = Buffer.alloc(size);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  const text = buffer.subarray(0, bytesRead);
  return text.includes(0) ? undefined : text.toString("utf8");
};

type Reading = { readonly file: OpenedFile; readonly shown: string; readonly input: ReadInput; readonly context: ToolContext };

const readOpened = async ({ file, shown, input, context }: Reading): Promise<ToolOutput> => {
  const head = await readHead(file);
  const image = readImageHeader(head);
  if (image) return readImage(file, image, shown);
  if (head.subarray(0, SNIFF_BYTES).includes(0))
    throw new RetinueError("tool_failed", `${shown} is a binary file of ${formatBytes(file.size)}.`, {
      hint: "Only text and images can be read; a command that converts it to text may help.",
    });
  return toOutput(await readRange(input, chunksOf(file, context.signal)), input, shown);
};

const readHead = async ({ handle }: OpenedFile): Promise<Buffer> => {
  const buffer = Buffer.alloc(IMAGE_HEADER_BYTES);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  return buffer.subarray(0, bytesRead);
};

async function* chunksOf({ handle }: OpenedFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let position = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const readRange = ({ offset, limit }: ReadInput, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<LineRange> =>
  readLineRange({
    chunks,
    from: offset ?? 1,
    count: limit ?? MAX_LINES,
    maxLineChars: MAX_LINE_CHARS,
    maxChars: MAX_OUTPUT_CHARS - 1000,
    countBytes: COUNT_BYTES,
  });

const toOutput = ({ lines, total }: LineRange, { offset = 1 }: ReadInput, shown: string): string => {
  const last = lines.at(-1);
  if (!last) {
    if (total === 0) return `[${shown} is empty]`;
    throw new RetinueError("tool_failed", `${shown} has ${total} lines; line ${offset} is past its end.`, {
      hint: "Read it with a smaller offset.",
    });
  }
  const numbered = lines.map(({ number, text }) => `${String(number).padStart(5)}→${text}`);
  if (last.number !== total)
    numbered.push(`[lines ${offset}-${last.number} of ${total ?? "many"}; read on with offset ${last.number + 1}]`);
  return toModelText(numbered.join("\n"));
};

const readImage = async ({ handle, size }: OpenedFile, image: ImageHeader, shown: string): Promise<ToolOutput> => {
  const what = `${shown}: ${image.mediaType}, ${image.width}×${image.height}, ${formatBytes(size)}`;
  const obstacle = imageObstacle({ size, ...image });
  if (obstacle !== undefined)
    throw new RetinueError("tool_failed", `${what} is too large to be shown.`, {
      hint: `${obstacle[0]?.toUpperCase()}${obstacle.slice(1)}.`,
    });
  const buffer = Buffer.alloc(size);
  const { bytesRead } = await handle.read(buffer, 0, size, 0);
  return {
    content: [
      { type: "text", text: what },
      { type: "image", mediaType: image.mediaType, data: buffer.toString("base64", 0, bytesRead) },
    ],
  };
};
