/** Who gives an input by the `retinue` command, and from where; it stands in the record beside the input. */
import { hostname, userInfo } from "node:os";
import type { InputSource } from "@retinue/protocol";

export const commandSource = (): InputSource => ({ via: "command", user: userName(), host: hostname(), pid: process.pid });

/** A container may run under a number that has no name. */
const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
};
