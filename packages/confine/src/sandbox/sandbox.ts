/** What a sandbox is to those who use one: which there is on this machine, and what it lets a command do. */
import type { ProcessCap } from "../process/process-cap.ts";

/** Found by trying it, not by looking for its name. */
export type Sandbox =
  | {
      readonly backend: "bwrap";
      readonly program: string;
      readonly version: string;
      /** What keeps a command to its number of processes. */
      readonly processCap: ProcessCap;
    }
  /** `reason` says what stands against one. Where its program is installed the reason may pass. */
  | { readonly backend: "none"; readonly reason: string; readonly isInstalled: boolean };

/** All paths are absolute and real. */
export type SandboxProfile = {
  /** Where the command starts. */
  readonly folder: string;
  /** The top of the project: folders of PATH that lie in it open nothing. */
  readonly project?: string;
  /** Folders that are seen as empty, but for what is named here besides. */
  readonly emptied: readonly string[];
  /** What may be read of the places that are otherwise hidden. */
  readonly readable: readonly string[];
  /** What may be written, with all that is below. */
  readonly writable: readonly string[];
  /** A copy that is seen, and may be written, in place of a folder. */
  readonly copy?: { readonly at: string; readonly from: string };
  /** What of it may not be written after all. */
  readonly readOnly: readonly string[];
  /** What is seen as an empty file or an empty folder. */
  readonly hidden: readonly HiddenPath[];
  /** Files that are seen with another content. */
  readonly shown?: readonly ShownFile[];
  /** Packages can be downloaded, so that those of the caches are not needed. */
  readonly network: boolean;
  /** Sockets of other programs, which are covered, for a command that may use Unix sockets. Where they are not given, none can be opened at all. */
  readonly sockets?: readonly string[];
  /** How large the private temporary folder may grow. */
  readonly temporaryBytes: number;
};

/** `from` is seen at `path`. */
export type ShownFile = { readonly path: string; readonly from: string };

export type HiddenPath = { readonly path: string; readonly isFolder: boolean };
