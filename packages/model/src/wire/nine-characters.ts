/** Ids of calls as Mistral's models want them back: nine letters and digits, the same ones for the same id. */
import { createHash } from "node:crypto";

export const toNineCharacters = (id: string): string =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
