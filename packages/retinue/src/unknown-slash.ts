/** What is said of a slash command that there is not: the one that was probably meant, only where one is near. */
import { RetinueError } from "@retinue/protocol";
import { nearestName } from "@retinue/protocol/names";

export const unknownSlash = (name: string, known: readonly string[]): RetinueError => {
  const meant = nearestName(name, known);
  return new RetinueError("usage", `There is no /${name}${meant === undefined ? "." : `; did you mean /${meant}?`}`, {
    hint: "/help lists the commands; a text that begins with a slash is sent with a blank before it.",
  });
};
