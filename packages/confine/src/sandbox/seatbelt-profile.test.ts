/** The profile as text, and what it allows by the rules of its language; it has not been tried on macOS. */
import { protectionOf } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { readSeatbelt } from "../testing/read-seatbelt.ts";
import type { SandboxProfile } from "./sandbox.ts";
import type { SeatbeltOptions } from "./seatbelt-profile.ts";
import { toSeatbeltProfile } from "./seatbelt-profile.ts";

const HOME = "/Users/ada";
const WORK = `${HOME}/code/shop`;
const PRIVATE = "/private/var/folders/xy/T/retinue-1";

const PROFILE: SandboxProfile = {
  folder: WORK,
  emptied: [`${HOME}/code`],
  readable: [WORK],
  writable: [WORK],
  readOnly: [`${WORK}/.git`],
  hidden: [{ path: `${WORK}/config/prod.txt`, isFolder: false }],
  network: false,
  temporaryBytes: 1,
};

const write = ({
  profile = {},
  ...more
}: Partial<Omit<SeatbeltOptions, "profile">> & { profile?: Partial<SandboxProfile> } = {}) =>
  toSeatbeltProfile({
    profile: { ...PROFILE, ...profile },
    host: {
      home: HOME,
      system: [],
      links: [],
      emptied: ["/Users", "/private/tmp"],
      tools: [{ from: `${HOME}/.nvm`, at: `${HOME}/.nvm` }],
      caches: [{ from: `${HOME}/.npm/_cacache`, at: `${HOME}/.npm/_cacache` }],
      hidden: [{ path: "/private/etc/closed", isFolder: true }],
    },
    project: WORK,
    seen: [],
    privateFolder: PRIVATE,
    proxyPort: undefined,
    ...more,
  });

const mayWrite = (text: string, file: string): boolean =>
  ["file-write-create", "file-write-data", "file-write-unlink", "file-write-mode"].some((act) => readSeatbelt(text)(act, file));
const mayRead = (text: string, file: string): boolean =>
  ["file-read-data", "file-read-xattr", "file-map-executable", "process-exec"].some((act) => readSeatbelt(text)(act, file));

describe("a Seatbelt profile", () => {
  test("begins by denying everything, and allows nothing without saying where but to live", () => {
    const lines = write().trim().split("\n");
    expect(lines.slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
    expect(lines.filter((line) => /^\(allow [^()]*\)$/.test(line))).toEqual(["(allow process-fork)", "(allow sysctl-read)"]);
  });

  test("opens the workspace, the private folder and /dev/null for writing, and nothing else", () => {
    const text = write();
    for (const file of [`${WORK}/a.ts`, `${WORK}/src/b/c.ts`, `${PRIVATE}/x`, "/dev/null"])
      expect([file, mayWrite(text, file)]).toEqual([file, true]);
    const outside = ["/", "/usr/bin/x", "/private/etc/hosts", "/private/tmp/x", "/Users", HOME, `${HOME}/.zshrc`, "/dev/disk0"];
    const beside = [`${HOME}/code`, `${HOME}/code/other/a.ts`, `${WORK}2/a.ts`, `${PRIVATE}2`, `${HOME}/.nvm/x`, "/Library/x"];
    for (const file of [...outside, ...beside]) expect([file, mayWrite(text, file)]).toEqual([file, false]);
    const opened = text.split("\n").filter((line) => line.startsWith("(allow") && line.includes("file-write"));
    expect(opened).toEqual([
      '(allow file-write-data (literal "/dev/null"))',
      `(allow file-write* (subpath "${WORK}"))`,
      `(allow file-write* (subpath "${PRIVATE}"))`,
    ]);
  });

  test("opens only the folders that a narrower scope names", () => {
    const text = write({ profile: { writable: [`${WORK}/test`] } });
    expect([`${WORK}/test/a.ts`, `${WORK}/src/a.ts`, WORK].map((file) => mayWrite(text, file))).toEqual([true, false, false]);
    expect(mayRead(text, `${WORK}/src/a.ts`)).toBe(true);
    expect(mayWrite(write({ profile: { writable: [] } }), `${WORK}/a.ts`)).toBe(false);
  });

  test("lets system and workspace be read, and neither home, neighbours nor keys", () => {
    const text = write();
    for (const file of [
      "/usr/bin/git",
      "/System/Library/x",
      "/private/etc/hosts",
      `${WORK}/a.ts`,
      `${WORK}/.git/HEAD`,
      `${HOME}/.nvm/node`,
    ])
      expect([file, mayRead(text, file)]).toEqual([file, true]);
    const homes = [`${HOME}/.ssh/id_rsa`, `${HOME}/notes.txt`, "/Users/bob/x", `${HOME}/code/other/a.ts`, "/private/tmp/x"];
    const keys = [
      "/Library/Keychains/System.keychain",
      "/System/Volumes/Data/Users/ada/x",
      "/private/etc/closed/x",
      "/private/var/root/x",
    ];
    for (const file of [...homes, ...keys]) expect([file, mayRead(text, file)]).toEqual([file, false]);
    // That the folders on the way are there, and not what is in them.
    expect([readSeatbelt(text)("file-read-metadata", HOME), mayRead(text, HOME)]).toEqual([true, false]);
  });

  test("shows the caches of packages only where none can be downloaded", () => {
    const file = `${HOME}/.npm/_cacache/x`;
    expect([mayRead(write(), file), mayRead(write({ profile: { network: true } }), file)]).toEqual([true, false]);
  });

  test("orders the rules by depth, so that the inner place holds whatever stands around it", () => {
    const text = write();
    expect([mayRead(text, `${WORK}/config/prod.txt`), mayWrite(text, `${WORK}/config/prod.txt`)]).toEqual([false, false]);
    expect([mayRead(text, `${WORK}/.git/config`), mayWrite(text, `${WORK}/.git/config`)]).toEqual([true, false]);
    const at = (line: string) => text.split("\n").indexOf(line);
    expect(at(`(deny file-write* (subpath "${HOME}/code"))`)).toBeLessThan(at(`(allow file-write* (subpath "${WORK}"))`));
    expect(at(`(allow file-write* (subpath "${WORK}"))`)).toBeLessThan(at(`(deny file-write* (subpath "${WORK}/.git"))`));
  });

  test("keeps folders on the way to a secret from being moved, but not from being written in", () => {
    const allows = readSeatbelt(write());
    expect(allows("file-write-unlink", `${WORK}/config`)).toBe(false);
    expect(allows("file-write-create", `${WORK}/config/new.txt`)).toBe(true);
    expect(allows("file-write-unlink", `${WORK}/src`)).toBe(true);
  });

  test("keeps a project that lies in the private folder to its own bounds", () => {
    const text = write({ privateFolder: HOME, profile: { writable: [] } });
    expect([mayWrite(text, `${WORK}/a.ts`), mayRead(text, `${WORK}/.env`)]).toEqual([false, false]);
  });

  test("hides files that bubblewrap would show with another content, and refuses a copy in place of the workspace", () => {
    const shown = [{ path: `${WORK}/.git/config`, from: "/x" }];
    expect(mayRead(write({ profile: { shown } }), `${WORK}/.git/config`)).toBe(false);
    expect(() => write({ profile: { copy: { at: WORK, from: "/x" } } })).toThrow("cannot show a command a copy");
  });
});

describe("protected names", () => {
  const NAMES = [
    ".env",
    "a/.ENV.local",
    "x/Prod.Env",
    ".sSh/config",
    "certs/Server.PEM",
    "id_rsa",
    ".kube/config",
    "Credentials.json",
  ];
  const HELD = [
    ".git/hooks/x",
    ".GIT",
    ".Husky/x",
    ".vscode/Tasks.json",
    "a/retinue.YAML",
    ".claude/x",
    "Agents.md",
    ".github/workflows/ci.yml",
  ];
  const FREE = [
    "src/a.ts",
    ".env.example",
    "a/id_rsa.pub",
    "environment.ts",
    ".gitignore",
    "keys.ts",
    "package.json",
    "docs/config.json",
  ];

  test("I1: are neither read nor written where they are secrets, in any case, there or not", () => {
    const text = write();
    for (const name of NAMES)
      expect([name, mayRead(text, `${WORK}/${name}`), mayWrite(text, `${WORK}/${name}`)]).toEqual([name, false, false]);
  });

  test("I2: are not written where something runs by them", () => {
    const text = write();
    for (const name of HELD)
      expect([name, mayRead(text, `${WORK}/${name}`), mayWrite(text, `${WORK}/${name}`)]).toEqual([name, true, false]);
    for (const name of FREE) expect([name, mayWrite(text, `${WORK}/${name}`)]).toEqual([name, true]);
  });

  test("are those that files are judged by", () => {
    const text = write();
    for (const name of [...NAMES, ...HELD, ...FREE].filter((each) => each !== "package.json"))
      expect([name, mayWrite(text, `${WORK}/${name}`)]).toEqual([name, protectionOf(name) === undefined]);
  });

  test("that were looked at and hold no secret are read, they alone", () => {
    const text = write({ seen: [`${WORK}/.npmrc`] });
    expect([`${WORK}/.npmrc`, `${WORK}/a/.npmrc`].map((file) => mayRead(text, file))).toEqual([true, false]);
    expect(mayWrite(text, `${WORK}/.npmrc`)).toBe(false);
  });

  test("hold below the project, and not on the way to it", () => {
    const project = `${HOME}/.retinue/worktrees/.claude/w`;
    const text = write({ project, profile: { readable: [project], writable: [project], hidden: [], readOnly: [] } });
    expect([`${project}/a.ts`, `${project}/.claude/x`].map((file) => mayWrite(text, file))).toEqual([true, false]);
  });
});

describe("the network", () => {
  test("is not there", () => {
    expect(write()).not.toContain("network");
  });

  test("is the port of the proxy on the loopback, and no other", () => {
    const rules = write({ proxyPort: 40_123 })
      .split("\n")
      .filter((line) => line.includes("network"));
    expect(rules).toEqual(['(allow network-outbound (remote tcp "localhost:40123"))']);
  });
});

describe("paths with letters that mean something", () => {
  for (const name of ['a"b', "a\\b", 'x") (allow default) ("', "grüße 日本 🎉", "a.b+(c)[d]{e}|^$*?", "it's; #|"])
    test(JSON.stringify(name), () => {
      const project = `${HOME}/${name}`;
      const text = write({ project, profile: { readable: [project], writable: [project], hidden: [], readOnly: [] } });
      expect(mayWrite(text, `${project}/a.ts`)).toBe(true);
      expect([mayRead(text, `${project}/.env`), mayWrite(text, `${project}/.Git/x`)]).toEqual([false, false]);
      for (const file of [`${HOME}/x`, "/usr/x", `${HOME}/a`, `${HOME}/aXb/c`])
        expect([file, mayWrite(text, file)]).toEqual([file, false]);
    });

  test("control characters and broken Unicode are refused", () => {
    for (const name of ["a\nb", "a\0b", "a\u007Fb", "a\uD800b"])
      expect(() => write({ project: `${HOME}/${name}` })).toThrow("cannot be named in a sandbox profile");
  });
});
