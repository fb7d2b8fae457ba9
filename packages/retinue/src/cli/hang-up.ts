/** A terminal that is closed while it is read from counts as SIGHUP, which may come later or not at all; Ctrl-D does not end the stream. */
import type { Interrupts } from "./interrupts.ts";
import type { Surroundings } from "./surroundings.ts";

/** To be called before anybody else listens to the stream. Gives the function that ends the watch. */
export const hangUpWith = (
  stdin: Surroundings["stdin"],
  { raise, exitCode }: Pick<Interrupts, "raise" | "exitCode">,
): (() => void) => {
  if (stdin.isTTY !== true) return () => undefined;
  const onGone = (): void => {
    if (exitCode() === undefined) raise("SIGHUP");
  };
  for (const event of ["end", "error"]) stdin.on(event, onGone);
  return () => {
    for (const event of ["end", "error"]) stdin.off(event, onGone);
  };
};
