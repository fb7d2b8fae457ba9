/** Hashes of what is asked of a model, so that a record can tell whether the same would be asked again. */
import { hash } from "node:crypto";
import type { ToolDeclaration } from "@retinue/model/contract";
import type { Message, RequestDigest } from "@retinue/protocol";

const DIGEST_CHARS = 16;

const digestOf = (text: string): string => hash("sha256", text, "hex").slice(0, DIGEST_CHARS);

const digests = new WeakMap<Message, string>();

/** Messages never change, so that each is hashed once. */
const digestMessage = (message: Message): string => {
  let digest = digests.get(message);
  if (digest === undefined) digests.set(message, (digest = digestOf(JSON.stringify(message))));
  return digest;
};

/** For one run, whose system prompt and tools stay as they are. */
export const createRequestDigest = (
  system: string,
  tools: readonly ToolDeclaration[],
): ((messages: readonly Message[]) => RequestDigest) => {
  const fixed = { system: digestOf(system), tools: digestOf(JSON.stringify(tools)) };
  return (messages) => ({ ...fixed, messages: digestOf(messages.map(digestMessage).join("")) });
};
