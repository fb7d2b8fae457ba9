/** What a command is registered with. Its own file is loaded when it is called, so that no command waits for another's. */
import type { Command } from "commander";
import type { Surroundings } from "../surroundings.ts";

export type Registrar = {
  readonly program: Command;
  readonly surroundings: Surroundings;
  /** Does the command's work; the number it gives is the exit code. */
  readonly act: (work: () => Promise<number>) => Promise<void>;
};
