/**
 * The system calls that a sandboxed command may not make, as a program for the kernel. They are not needed by ordinary programs and are
 * doors to the kernel, to other namespaces, to the terminal or to the machine's host.
 */

/** Calls that an architecture does not have are absent. */
type Architecture = { readonly audit: number; readonly calls: Readonly<Partial<Record<Call, number>>> };

type Call =
  | (typeof DENIED)[number]
  | (typeof NOT_OFFERED)[number]
  | (typeof MODES)[number][0]
  | (typeof CREATING)[number][0]
  | "clone"
  | "ioctl"
  | "socket"
  | "socketpair"
  | "shmget"
  | "semget";

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

/**
 * Answered with "no such call", so that libraries take an older one: whose flags and modes can be seen, or whose memory is counted as that of a file.
 */
const NOT_OFFERED = ["clone3", "openat2", "memfd_create", "memfd_secret"] as const;

/** Offsets in what the kernel hands to the program. */
const NUMBER = 0;
const AUDIT = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;
const SECOND_ARGUMENT_HIGH = 28;
const THIRD_ARGUMENT = 32;
const FOURTH_ARGUMENT = 40;

/** Calls that set the mode of a file, with where the mode stands. */
const MODES = [
  ["chmod", SECOND_ARGUMENT],
  ["fchmod", SECOND_ARGUMENT],
  ["fchmodat", THIRD_ARGUMENT],
  ["fchmodat2", THIRD_ARGUMENT],
  ["creat", SECOND_ARGUMENT],
  ["mkdir", SECOND_ARGUMENT],
  ["mkdirat", THIRD_ARGUMENT],
  ["mknod", SECOND_ARGUMENT],
  ["mknodat", THIRD_ARGUMENT],
] as const;

/** Calls that set it only when they make a file, with where flags and mode stand. */
const CREATING = [
  ["open", SECOND_ARGUMENT, THIRD_ARGUMENT],
  ["openat", THIRD_ARGUMENT, FOURTH_ARGUMENT],
] as const;

/** The same number on every architecture. */
const COMMON = {
  openat2: 437,
  memfd_secret: 447,
  fchmodat2: 452,
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
      socketpair: 53,
      shmget: 29,
      semget: 64,
      memfd_create: 319,
      chmod: 90,
      fchmod: 91,
      fchmodat: 268,
      creat: 85,
      mkdir: 83,
      mkdirat: 258,
      mknod: 133,
      mknodat: 259,
      open: 2,
      openat: 257,
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
      socketpair: 199,
      shmget: 194,
      semget: 190,
      memfd_create: 279,
      fchmod: 52,
      fchmodat: 53,
      mkdirat: 34,
      mknodat: 33,
      openat: 56,
    },
  },
};

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ABOVE = 0x25;
const JUMP_IF_ANY_BIT = 0x45;
const AND = 0x54;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const NOT_PERMITTED = 0x00050001;
/** "No such call". */
const NOT_THERE = 0x00050026;
/** "Address family not supported": programs that can do without a Unix socket then do. */
const NO_FAMILY = 0x00050061;
const NO_MEMORY = 0x0005000c;

const CLONE_NEWUSER = 0x10000000;
/** Numbers of another calling convention on the same machine. */
const X32 = 0x40000000;
/** Putting letters into a terminal's input. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** Sockets with a path, or between processes. */
const AF_UNIX = 1;
/** Pairs of these can be sent through to a socket with a path; those of streams are bound to each other. */
const SOCK_DGRAM = 2;
const SOCK_RAW = 3;
const SOCKET_TYPE = 0xf;
/** Makes whoever runs the file its owner, or a member of its group. */
const SET_ID = 0o6000;
/** O_CREAT and O_TMPFILE. */
const MAKES_FILE = 0x40_0040;
/** Segments stay when nobody holds them, and the kernel has some thousand of them; no process is then charged for their memory. */
const MOST_SEGMENT_BYTES = 64 * 1024;
const MOST_SEMAPHORES = 32;
/** Cryptography in the kernel, and the way from a virtual machine to its host. */
const AF_ALG = 38;
const AF_VSOCK = 40;

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

export type FilterOptions = {
  readonly architecture?: NodeJS.Architecture;
  /** No socket with a path or a name is opened either; pairs of connected sockets between processes are. */
  readonly deniesUnixSockets?: boolean;
};

/** Undefined where the numbers of the machine's calls are not known. */
export const createSeccompFilter = ({ architecture = process.arch, deniesUnixSockets = false }: FilterOptions = {}):
  | Buffer
  | undefined => {
  const known = ARCHITECTURES[architecture];
  if (!known) return undefined;
  const { calls } = known;
  /** What is done where the number is that of the call; afterwards the number is looked at again. */
  const when = (call: Call, instructions: readonly Instruction[]): readonly Instruction[] => {
    const number = calls[call];
    if (number === undefined) return [];
    return [[JUMP_IF_EQUAL, 0, instructions.length + 1, number], ...instructions, [LOAD, 0, 0, NUMBER]];
  };
  const answer = (call: Call, value: number): readonly Instruction[] => when(call, [[RETURN, 0, 0, value]]);
  const refuse = (code: number, value: number, result = NOT_PERMITTED): readonly Instruction[] => [
    [code, 0, 1, value],
    [RETURN, 0, 0, result],
  ];
  const load = (argument: number): Instruction => [LOAD, 0, 0, argument];
  const program: readonly Instruction[] = [
    [LOAD, 0, 0, AUDIT],
    [JUMP_IF_EQUAL, 1, 0, known.audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    [JUMP_IF_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, NOT_PERMITTED],
    ...DENIED.flatMap((call) => answer(call, NOT_PERMITTED)),
    ...NOT_OFFERED.flatMap((call) => answer(call, NOT_THERE)),
    ...when("clone", [load(FIRST_ARGUMENT), ...refuse(JUMP_IF_ANY_BIT, CLONE_NEWUSER)]),
    ...when("ioctl", [load(SECOND_ARGUMENT), ...refuse(JUMP_IF_EQUAL, TIOCSTI), ...refuse(JUMP_IF_EQUAL, TIOCLINUX)]),
    ...when("socket", [
      load(FIRST_ARGUMENT),
      ...refuse(JUMP_IF_EQUAL, AF_ALG),
      ...refuse(JUMP_IF_EQUAL, AF_VSOCK),
      ...(deniesUnixSockets ? refuse(JUMP_IF_EQUAL, AF_UNIX, NO_FAMILY) : []),
    ]),
    ...(deniesUnixSockets
      ? when("socketpair", [
          load(SECOND_ARGUMENT),
          [AND, 0, 0, SOCKET_TYPE],
          ...refuse(JUMP_IF_EQUAL, SOCK_DGRAM, NO_FAMILY),
          ...refuse(JUMP_IF_EQUAL, SOCK_RAW, NO_FAMILY),
        ])
      : []),
    ...when("shmget", [
      load(SECOND_ARGUMENT_HIGH),
      ...refuse(JUMP_IF_ABOVE, 0, NO_MEMORY),
      load(SECOND_ARGUMENT),
      ...refuse(JUMP_IF_ABOVE, MOST_SEGMENT_BYTES, NO_MEMORY),
    ]),
    ...when("semget", [load(SECOND_ARGUMENT), ...refuse(JUMP_IF_ABOVE, MOST_SEMAPHORES, NO_MEMORY)]),
    ...MODES.flatMap(([call, mode]) => when(call, [load(mode), ...refuse(JUMP_IF_ANY_BIT, SET_ID)])),
    ...CREATING.flatMap(([call, flags, mode]) =>
      when(call, [load(flags), [JUMP_IF_ANY_BIT, 0, 3, MAKES_FILE], load(mode), ...refuse(JUMP_IF_ANY_BIT, SET_ID)]),
    ),
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
