/** A key that cannot be a header is refused where it is given, without being shown. */
import { RetinueError } from "@retinue/protocol";

export const requireKey = (name: string, key: string): void => {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new RetinueError("settings_invalid", `The key for ${name} is empty or holds blanks or characters that no key has.`, {
      hint: "Check the variable that holds it.",
    });
};
