/** What a client said, as parts of a message. A picture is taken only where its bytes are what it says it is. */
import { readImageHeader } from "@retinue/confine";
import type { UserPart } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";

export type Said = {
  readonly text: string;
  readonly images?: readonly { readonly mediaType: string; readonly data: string }[] | undefined;
};

export const toParts = ({ text, images = [] }: Said): readonly UserPart[] => [
  ...(text.trim() === "" ? [] : [{ type: "text" as const, text }]),
  ...images.map(({ mediaType, data }) => {
    const header = readImageHeader(Buffer.from(data, "base64"));
    if (header?.mediaType !== mediaType)
      throw new RetinueError(
        "request_invalid",
        `A picture is said to be ${mediaType}, and its bytes are ${header?.mediaType ?? "none"}.`,
      );
    return { type: "image" as const, mediaType, data };
  }),
];

/** Options without those that were not given. */
export const given = <T extends object>(options: T): { [Key in keyof T]: Exclude<T[Key], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], undefined>;
  };
