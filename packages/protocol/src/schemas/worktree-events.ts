/** Schemas of what is recorded of a worktree: that it was made, and how its changes came back. */
import { z } from "zod";
import { eventSchema } from "./envelope.ts";
import { errorValueSchema } from "./error-value.ts";
import { mergeConflictSchema, mergeOutcomeFields } from "./result.ts";

const fileVersion = z.string().nullable();

const plannedChangeSchema = z
  .object({
    path: z.string().describe("Relative to the workspace that is merged into."),
    from: fileVersion.describe("Mode and id of the content before; null: no such file."),
    to: fileVersion.describe("Mode and id of the content after; null: no such file."),
  })
  .meta({ title: "PlannedChange", description: "One file of a merge." });

export const WORKTREE_SCHEMAS = {
  "worktree.made": eventSchema("worktree.made", "The run's worktree stands.", {
    base: z.string().describe("The commit that holds the workspace as it was, uncommitted changes included."),
  }),
  "worktree.refused": eventSchema("worktree.refused", "There can be no worktree; the run ends as failed.", {
    error: errorValueSchema.describe("Why."),
  }),
  "worktree.merging": eventSchema("worktree.merging", "The first file is about to be merged.", {
    commit: z.string().describe("The commit that holds everything the run did."),
    changes: z.array(plannedChangeSchema).describe("What will be written, from what to what."),
    conflicts: z.array(mergeConflictSchema).describe("What will not be merged."),
  }),
  "worktree.merged": eventSchema("worktree.merged", "What the run did is merged, or kept.", mergeOutcomeFields),
};
