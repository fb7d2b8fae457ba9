/** The first line of what a run was asked, for heads and lists. */
import type { UserPart } from "@retinue/protocol";

export const toTaskLine = (task: readonly UserPart[]): string =>
  task
    .flatMap((part) => (part.type === "text" ? [part.text] : ["(picture)"]))
    .join(" ")
    .split("\n")
    .find((line) => line.trim() !== "")
    ?.trim() ?? "";
