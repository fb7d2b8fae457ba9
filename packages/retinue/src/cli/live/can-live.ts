/** Whether a line can be redrawn: it needs a terminal that can move its cursor, and a reader who sees it. */
import type { Surroundings } from "../surroundings.ts";

export const canLive = ({ stderr, env }: Pick<Surroundings, "stderr" | "env">): boolean =>
  stderr.isTerminal && env["TERM"] !== "dumb" && !env["RETINUE_PLAIN"] && env["INK_SCREEN_READER"] !== "true";
