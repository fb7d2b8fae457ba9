/**
 * The system calls that a sandboxed command may not make, as a program for the kernel. They are not needed by ordinary programs and are
 * doors to the kernel, to other namespaces, to the terminal or to the machine's host.
 */

type Architecture = { readonly audit: number; readonly calls: Readonly<Record<Call, number>> };

type Call = (typeof DENIED)[number] | "clone" | "clone3" | "ioctl" | "socket";

const DENIED = [
  "io_uring_setup",
  "io_uring_enter",
  "io_uring_register",
  "userfaultfd",
  "bpf",
  "perf_event_open",
  "add_key",
  "request_key",
  "keyctl",
  "kexec_load",
  "kexec_file_load",
  "init_module",
  "finit_module",
  "delete_module",
  "mount",
  "umount2",
  "pivot_root",
  "open_tree",
  "move_mount",
  "fsopen",
  "fsconfig",
  "fsmount",
  "fspick",
  "mount_setattr",
  "setns",
  "unshare",
  "open_by_handle_at",
] as const;

/** The same number on every architecture. */
const COMMON = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  clone3: 435,
  mount_setattr: 442,
} as const;

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    calls: {
      ...COMMON,
      userfaultfd: 323,
      bpf: 321,
      perf_event_open: 298,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      kexec_load: 246,
      kexec_file_load: 320,
      init_module: 175,
      finit_module: 313,
      delete_module: 176,
      mount: 165,
      umount2: 166,
      pivot_root: 155,
      setns: 308,
      unshare: 272,
      open_by_handle_at: 304,
      clone: 56,
      ioctl: 16,
      socket: 41,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      ...COMMON,
      userfaultfd: 282,
      bpf: 280,
      perf_event_open: 241,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      kexec_load: 104,
      kexec_file_load: 294,
      init_module: 105,
      finit_module: 273,
      delete_module: 106,
      mount: 40,
      umount2: 39,
      pivot_root: 41,
      setns: 268,
      unshare: 97,
      open_by_handle_at: 265,
      clone: 220,
      ioctl: 29,
      socket: 198,
    },
  },
};

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const NOT_PERMITTED = 0x00050001;
/** "No such call": libraries then take the older one, whose flags can be seen. */
const NOT_THERE = 0x00050026;

/** Offsets in what the kernel hands to the program. */
const NUMBER = 0;
const AUDIT = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

const CLONE_NEWUSER = 0x10000000;
/** Numbers of another calling convention on the same machine. */
const X32 = 0x40000000;
/** Putting letters into a terminal's input. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** Sockets with a path, or between processes. */
const AF_UNIX = 1;
/** Cryptography in the kernel, and the way from a virtual machine to its host. */
const AF_ALG = 38;
const AF_VSOCK = 40;

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

export type FilterOptions = {
  readonly architecture?: NodeJS.Architecture;
  /** No socket with a path is opened either; pairs of sockets between processes are. */
  readonly deniesUnixSockets?: boolean;
};

/** Undefined where the numbers of the machine's calls are not known. */
export const createSeccompFilter = ({ architecture = process.arch, deniesUnixSockets = false }: FilterOptions = {}):
  | Buffer
  | undefined => {
  const known = ARCHITECTURES[architecture];
  if (!known) return undefined;
  const { calls } = known;
  const answer = (call: Call, value: number): readonly Instruction[] => [
    [JUMP_IF_EQUAL, 0, 1, calls[call]],
    [RETURN, 0, 0, value],
  ];
  /** Looks at an argument of a call, and at the number again after that. */
  const look = (
    call: Call,
    argument: number,
    tests: readonly (readonly [code: number, value: number])[],
  ): readonly Instruction[] => [
    [JUMP_IF_EQUAL, 0, 2 + tests.length * 2, calls[call]],
    [LOAD, 0, 0, argument],
    ...tests.flatMap(([code, value]): readonly Instruction[] => [
      [code, 0, 1, value],
      [RETURN, 0, 0, NOT_PERMITTED],
    ]),
    [LOAD, 0, 0, NUMBER],
  ];
  const program: readonly Instruction[] = [
    [LOAD, 0, 0, AUDIT],
    [JUMP_IF_EQUAL, 1, 0, known.audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    [JUMP_IF_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, NOT_PERMITTED],
    ...DENIED.flatMap((call) => answer(call, NOT_PERMITTED)),
    ...answer("clone3", NOT_THERE),
    ...look("clone", FIRST_ARGUMENT, [[JUMP_IF_ANY_BIT, CLONE_NEWUSER]]),
    ...look("ioctl", SECOND_ARGUMENT, [
      [JUMP_IF_EQUAL, TIOCSTI],
      [JUMP_IF_EQUAL, TIOCLINUX],
    ]),
    ...look("socket", FIRST_ARGUMENT, [
      [JUMP_IF_EQUAL, AF_ALG],
      [JUMP_IF_EQUAL, AF_VSOCK],
      ...(deniesUnixSockets ? [[JUMP_IF_EQUAL, AF_UNIX] as const] : []),
    ]),
    [RETURN, 0, 0, ALLOW],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
};
