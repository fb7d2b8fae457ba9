/** Tokens reckoned from characters, for what no provider has measured yet. */
import type { Message } from "@retinue/protocol";

const CHARS_PER_TOKEN = 4;
/** What an image costs with the usual providers, at most. */
const IMAGE_TOKENS = 1_600;
/** Role, separators and ids around one message. */
const MESSAGE_TOKENS = 4;

export const estimateText = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);

export const estimateMessage = (message: Message): number => {
  let tokens = MESSAGE_TOKENS;
  for (const part of message.content) {
    if (part.type === "image") tokens += IMAGE_TOKENS;
    else if (part.type === "tool-call") tokens += estimateText(part.tool) + estimateText(part.arguments);
    else tokens += estimateText(part.text);
  }
  return tokens;
};
