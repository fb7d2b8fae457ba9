/**
 * Where an attack runs: in namespaces of its own, in which nothing of the machine can be written, no process of others is seen and no other machine is reached.
 * A hole that it finds, or that was opened to be found, is then no danger to whoever looks for it.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Set inside. */
const MARK = "RETINUE_ATTACK_SHELTER";

/** Public addresses that this machine has inside: whoever reaches one of them has reached the user's own programs. */
export const OWN_ADDRESSES = ["93.184.215.14", "2606:2800:21f:cb07::14"] as const;

/** Disks beside that of the system, each with what a user keeps there. */
export const DISKS = ["/mnt", "/srv", "/media"] as const;

/** Says which address a machine has. Without it the network stays that of the machine. */
const IP = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"].find((file) => existsSync(file));

export const isSheltered = (): boolean => process.env[MARK] !== undefined;

/** File systems of the kernel stay as they are: it guards them itself. Everything else can only be read, but for one folder made for this. */
const SCRIPT = `
set -e
while read -r _ _ _ _ at _; do
  case "$at" in /proc|/proc/*|/sys|/sys/*|/dev|/dev/*) continue;; esac
  mount -o remount,bind,ro "$at" 2>/dev/null || { echo "shelter: $at stays writable" >&2; exit 125; }
done < /proc/self/mountinfo
# Whoever is root owns the devices that a sandbox is given, and could change the machine's own. Here they are others of the same kind, so that a change
# is seen and does no harm; where none can be made they cannot be changed.
if [ "$(id -u)" = 0 ]; then
  mount -t tmpfs -o mode=755 tmpfs /mnt
  for at in null:3 zero:5 full:7 random:8 urandom:9; do
    name="\${at%:*}"
    if mknod -m 666 "/mnt/$name" c 1 "\${at#*:}" 2>/dev/null && : < "/mnt/$name"; then mount --bind "/mnt/$name" "/dev/$name"
    else mount --bind "/dev/$name" "/dev/$name" && mount -o remount,bind,ro "/dev/$name"; fi
  done
  mount --bind /dev/tty /dev/tty && mount -o remount,bind,ro /dev/tty
  umount -l /mnt
fi
for at in "$TMPDIR" /dev/shm ${DISKS.join(" ")}; do [ ! -d "$at" ] || mount -t tmpfs -o mode=1777 tmpfs "$at"; done
if [ -n "$IP" ]; then
  "$IP" link set lo up
  for at in ${OWN_ADDRESSES.join(" ")}; do "$IP" address add "$at" dev lo nodad 2>/dev/null || "$IP" address add "$at" dev lo 2>/dev/null || true; done
fi
set +e
# The shell stays, as the first process in here: it takes leave of what its parents left behind.
if [ -z "$AS_USER" ]; then "$@"; else setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; fi
exit $?
`;

export type ShelterOptions = {
  readonly onOutput?: (text: string) => void;
  /** Whoever is root works as somebody who is not. */
  readonly asUser?: boolean;
};

export type ShelteredEnd = { readonly exitCode: number | null; readonly output: string };

/** Runs a script of Node inside until it ends; gives what it printed. */
export const runSheltered = async (
  script: string,
  args: readonly string[],
  { onOutput = () => undefined, asUser = false }: ShelterOptions = {},
): Promise<ShelteredEnd> => {
  const folder = mkdtempSync(path.join(tmpdir(), "retinue-shelter-"));
  const isRoot = process.getuid?.() === 0;
  const mapped = isRoot ? [] : ["--user", "--map-current-user", "--keep-caps"];
  const network = IP === undefined ? [] : ["--net"];
  const namespaces = [...mapped, ...network, "--mount", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc"];
  const child = spawn("unshare", [...namespaces, "sh", "-c", SCRIPT, "sh", process.execPath, script, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, [MARK]: "1", IP: IP ?? "", TMPDIR: folder, AS_USER: asUser && isRoot ? "1" : "" },
  });
  let output = "";
  const take = (text: string): void => {
    output += text;
    onOutput(text);
  };
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    return { exitCode, output };
  } finally {
    rmdirSync(folder);
  }
};
