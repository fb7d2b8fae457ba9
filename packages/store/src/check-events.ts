/** Whether events from elsewhere are events of ours, each by its schema: the chain of hashes only says that they are as they were exported. */
import { RetinueError } from "@retinue/protocol";
import type { ImportedSession } from "./read-export.ts";

/** Throws `import_invalid`, with what is wrong with the first that is none. */
export const checkEvents = async ({ drafts }: ImportedSession): Promise<void> => {
  // Loaded here, so that only who imports loads the schemas.
  const { readEvent } = await import("@retinue/protocol/schemas");
  for (const [at, draft] of drafts.entries())
    try {
      readEvent({ ...draft, seq: at + 1 });
    } catch (error) {
      if (!(error instanceof RetinueError)) throw error;
      throw new RetinueError("import_invalid", `This cannot be imported: ${error.message}`, { cause: error });
    }
};
