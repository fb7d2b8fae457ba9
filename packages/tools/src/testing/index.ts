/** For tests of tools, here and elsewhere. */
export { abortShells, findByCommandLine } from "./abort-shells.ts";
