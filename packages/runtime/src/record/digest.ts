/** Hashes of what is asked of a model, so that a record can tell whether the same would be asked again. */
import { hash } from "node:crypto";
import type { ToolDeclaration } from "@retinue/model/contract";
import type { Message, RequestDigest } from "@retinue/protocol";

const DIGEST_CHARS = 16;

const digestOf = (text: string): string => hash("sha256", text, "hex").slice(0, DIGEST_CHARS);

/**
 * For one run, whose system prompt and tools stay as they are. The digest of a conversation is that of all but its last message, and the last
 * message: as long as a conversation only grows, each message is hashed once.
 */
export const createRequestDigest = (
  system: string,
  tools: readonly ToolDeclaration[],
): ((messages: readonly Message[]) => RequestDigest) => {
  const fixed = { system: digestOf(system), tools: digestOf(JSON.stringify(tools)) };
  let known: readonly Message[] = [];
  let digest = "";
  return (messages) => {
    let from = known.length;
    if (from > messages.length || known.some((message, index) => message !== messages[index])) {
      from = 0;
      digest = "";
    }
    for (const message of messages.slice(from)) digest = digestOf(digest + JSON.stringify(message));
    known = messages;
    return { ...fixed, messages: digest };
  };
};
