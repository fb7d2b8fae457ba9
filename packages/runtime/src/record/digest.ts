/** Hashes of what is asked of a model, so that a record can tell whether the same would be asked again. */
import { hash } from "node:crypto";
import type { Message, RequestDigest } from "@retinue/protocol";

const DIGEST_CHARS = 16;

const digestOf = (text: string): string => hash("sha256", text, "hex").slice(0, DIGEST_CHARS);

/**
 * For one run, whose system prompt and tools, as JSON, stay as they are. The digest of a conversation is that of all but its last message, and the last
 * message: as long as a conversation only grows, each message is hashed once.
 */
export const createRequestDigest = (system: string, tools: string): ((messages: readonly Message[]) => RequestDigest) => {
  const fixed = { system: digestOf(system), tools: digestOf(tools) };
  let known: readonly Message[] = [];
  let digest = "";
  return (messages) => {
    let from = known.length;
    if (!isBeginning(known, messages)) {
      from = 0;
      digest = "";
    }
    for (let at = from; at < messages.length; at += 1) digest = digestOf(digest + JSON.stringify(messages[at]));
    known = messages;
    return { system: fixed.system, tools: fixed.tools, messages: digest };
  };
};

const isBeginning = (known: readonly Message[], messages: readonly Message[]): boolean => {
  if (known.length > messages.length) return false;
  for (let at = 0; at < known.length; at += 1) if (known[at] !== messages[at]) return false;
  return true;
};
