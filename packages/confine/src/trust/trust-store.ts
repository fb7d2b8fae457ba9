/**
 * What the user has said may be started or loaded for a project. Trust is for one exact content: when the project changes it, the answer no
 * longer holds. Nothing but `grant` adds trust, so that where nobody is there to ask, projects stay untrusted.
 */
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";
import { createStateFile } from "./state-file.ts";

/** What is to be trusted, and how it is shown to the one who is asked. */
export type TrustClaim = {
  /** Absolute, real path of the project. */
  readonly project: string;
  /** `mcp:<server>` or `tools:<folder>`. */
  readonly subject: string;
  readonly hash: string;
  /** All that would run, in full. */
  readonly shown: string;
};

export type TrustStore = {
  readonly isTrusted: (claim: TrustClaim) => Promise<boolean>;
  readonly grant: (claims: readonly TrustClaim[]) => Promise<void>;
  /** Takes back all that was granted to a project. */
  readonly revoke: (project: string) => Promise<void>;
};

const trustSchema = z.strictObject({
  version: z.literal(1),
  /** Project → subject → hash. */
  projects: z.record(z.string(), z.record(z.string(), z.string())),
});

export type TrustStoreOptions = {
  /** `trust.json` in the user's own folder; never one of the project. */
  readonly file: string;
};

export const createTrustStore = ({ file }: TrustStoreOptions): TrustStore => {
  const state = createStateFile({ file, schema: trustSchema, empty: { version: 1, projects: {} } });
  return {
    isTrusted: async ({ project, subject, hash }) => {
      const { projects } = await state.read();
      const subjects = Object.hasOwn(projects, project) ? projects[project] : undefined;
      return subjects !== undefined && Object.hasOwn(subjects, subject) && subjects[subject] === hash;
    },
    grant: (claims) =>
      state.change(({ version, projects }) => {
        const changed = new Map(Object.entries(projects));
        for (const { project, subject, hash } of claims) changed.set(project, { ...changed.get(project), [subject]: hash });
        return { version, projects: Object.fromEntries(changed) };
      }),
    revoke: (project) =>
      state.change(({ version, projects }) => ({
        version,
        projects: Object.fromEntries(Object.entries(projects).filter(([name]) => name !== project)),
      })),
  };
};

/** What is said when something untrusted was not started. */
export const untrusted = (claim: TrustClaim): RetinueError =>
  new RetinueError("project_untrusted", `${claim.project} is not trusted, so that this was not started: ${claim.shown}`);
