/** What a server answered, as parts for a model: bounded, and what cannot be shown is named instead of dropped. */
import type { CallToolResult, ContentBlock, EmbeddedResource } from "@modelcontextprotocol/client";
import type { UserPart } from "@retinue/protocol";
import { neutralise } from "@retinue/runtime";
import { readImageHeader } from "@retinue/confine";
import { formatBytes, toModelText } from "@retinue/confine";
import type { Redact } from "./expand-variables.ts";
import { toShownText } from "./escape-hidden.ts";

const MOST_TEXT_CHARS = 1024 * 1024;
const MOST_IMAGES = 20;
/** As with `read`: providers refuse larger ones, and a refused image would stay in the conversation. */
const MOST_IMAGE_BYTES = 3_500_000;
const MOST_IMAGE_SIDE = 8000;
const MOST_NAME_CHARS = 500;

export const toOutput = (result: CallToolResult, redact: Redact): readonly UserPart[] => {
  const parts: UserPart[] = [];
  let room = MOST_TEXT_CHARS;
  let cut = 0;
  let images = 0;
  const addText = (text: string): void => {
    const kept = text.length > room ? text.slice(0, room).toWellFormed() : text;
    room -= kept.length;
    cut += text.length - kept.length;
    if (kept !== "") parts.push({ type: "text", text: toModelText(neutralise(redact(kept))) });
  };
  const addImage = (data: string, mediaType: string): void => {
    const image = images < MOST_IMAGES ? toImage(data) : "there are too many";
    if (typeof image === "string") return addText(`[image ${name(mediaType)} not shown: ${image}]`);
    images += 1;
    parts.push(image);
  };
  for (const block of result.content) addBlock(block, addText, addImage);
  if (result.structuredContent !== undefined) {
    const text = JSON.stringify(result.structuredContent);
    if (!saysTheSame(result.content, text)) addText(text);
  }
  if (cut > 0) parts.push({ type: "text", text: `[${cut} more characters cut; a result holds ${MOST_TEXT_CHARS} at most]` });
  return parts.length === 0 ? [{ type: "text", text: "[no content]" }] : parts;
};

type AddText = (text: string) => void;
type AddImage = (data: string, mediaType: string) => void;

const name = (text: string): string => toShownText(text, MOST_NAME_CHARS).replaceAll("\n", " ");

const addBlock = (block: ContentBlock, addText: AddText, addImage: AddImage): void => {
  switch (block.type) {
    case "text":
      return addText(block.text);
    case "image":
      return addImage(block.data, block.mimeType);
    case "audio":
      return addText(`[audio ${name(block.mimeType)}, ${formatBytes(bytesOf(block.data))}, cannot be played here]`);
    case "resource_link": {
      const details = [block.mimeType, block.description].filter((detail) => detail !== undefined);
      return addText(`[resource ${name(block.uri)}: ${[block.title ?? block.name, ...details].map(name).join(", ")}]`);
    }
    case "resource":
      return addResource(block.resource, addText, addImage);
    default:
      return block satisfies never;
  }
};

const addResource = (resource: EmbeddedResource["resource"], addText: AddText, addImage: AddImage): void => {
  const { mimeType = "application/octet-stream" } = resource;
  if ("text" in resource) {
    addText(`[resource ${name(resource.uri)}]`);
    return addText(resource.text);
  }
  if (mimeType.startsWith("image/")) {
    addText(`[resource ${name(resource.uri)}]`);
    return addImage(resource.blob, mimeType);
  }
  return addText(`[resource ${name(resource.uri)}: ${name(mimeType)}, ${formatBytes(bytesOf(resource.blob))}, is no text]`);
};

const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

/** Why not, where it cannot be shown. What it is is read from its bytes, not from what the server calls it. */
const toImage = (data: string): UserPart | string => {
  const bytes = bytesOf(data);
  if (bytes > MOST_IMAGE_BYTES) return `it has ${formatBytes(bytes)}; ${formatBytes(MOST_IMAGE_BYTES)} is the most`;
  const decoded = Buffer.from(data, "base64");
  const header = readImageHeader(decoded);
  if (header === undefined) return "it is no PNG, JPEG, GIF or WebP";
  if (Math.max(header.width, header.height) > MOST_IMAGE_SIDE)
    return `it is ${header.width}×${header.height}; ${MOST_IMAGE_SIDE} a side is the most`;
  return { type: "image", mediaType: header.mediaType, data: decoded.toString("base64") };
};

/** Servers repeat structured content as text for clients that do not know it. */
const saysTheSame = (content: readonly ContentBlock[], text: string): boolean =>
  content.some((block) => {
    if (block.type !== "text" || block.text.length > text.length * 4 + 1000) return false;
    try {
      return JSON.stringify(JSON.parse(block.text)) === text;
    } catch {
      return false;
    }
  });
