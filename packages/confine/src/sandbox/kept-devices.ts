/**
 * The devices that a sandbox is given are the machine's own, and root owns them: without this, a command that root runs could change their modes for
 * everybody. They are mounted read-only over themselves before the sandbox is made, where bubblewrap finds them; what is read from a device or written
 * to one is not held up by that.
 */
import { MOUNT, UNSHARE } from "../process/system-programs.ts";
import type { StartedProgram } from "./throw-away/throw-away-copy.ts";

/** What bubblewrap binds from the machine. */
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

/** Where one cannot be mounted, nothing is run. What was opened before can be changed through its descriptor, so that it is opened anew. */
const KEEP = [
  `for device in ${DEVICES.join(" ")}; do ${MOUNT} -o bind,ro $device $device || exit 125; done`,
  ...["0<", "1>", "2>"].map((to) => `if [ /proc/self/fd/${to.charAt(0)} -ef /dev/null ]; then exec ${to}/dev/null; fi`),
  'exec "$@"',
].join("\n");

/** For a program that runs with the identity of root; others own no device. */
export const keepDevices = ({ file, args }: StartedProgram): StartedProgram => ({
  file: UNSHARE,
  args: ["--mount", "--propagation", "private", "--", "/bin/sh", "-c", KEEP, "sh", file, ...args],
});
