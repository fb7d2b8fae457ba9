/** Pictures that go along with what is said, as the server takes them: few, small enough, and of the kinds that models see. */
import { RetinueError } from "@retinue/protocol";
import { bytes } from "../parts/amounts.ts";

const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

export type Attached = { readonly name: string; readonly mediaType: (typeof TYPES)[number]; readonly data: string };

const MOST_BYTES = 5 * 1024 * 1024;

const toBase64 = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () =>
      resolve((typeof reader.result === "string" ? reader.result : "").replace(/^[^,]*,/, "")),
    );
    reader.addEventListener("error", () => reject(new Error(`${file.name} could not be read`)));
    reader.readAsDataURL(file);
  });

export const readPictures = async (files: Iterable<File>): Promise<readonly Attached[]> => {
  const attached: Attached[] = [];
  for (const file of files) {
    const mediaType = TYPES.find((type) => type === file.type);
    if (mediaType === undefined)
      throw new RetinueError("internal", `${file.name} is no picture that a model can see.`, {
        hint: "PNG, JPEG, WebP and GIF are; a text file is named with @ instead.",
      });
    if (file.size > MOST_BYTES)
      throw new RetinueError("internal", `${file.name} has ${bytes(file.size)}.`, {
        hint: `A picture may have ${bytes(MOST_BYTES)}: make it smaller.`,
      });
    attached.push({ name: file.name, mediaType, data: await toBase64(file) });
  }
  return attached;
};
