/** Programs of util-linux by which namespaces are made. Never by PATH, where a project could put something in their place. */
import { existsSync } from "node:fs";

export const UNSHARE = "/usr/bin/unshare";
export const SETPRIV = "/usr/bin/setpriv";
export const MOUNT = ["/usr/bin/mount", "/bin/mount"].find((file) => existsSync(file)) ?? "/usr/bin/mount";
