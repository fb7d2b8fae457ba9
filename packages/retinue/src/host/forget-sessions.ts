/** What is kept of a session beside the record goes with it: the versions of files from before its changes, what was typed for after its turn, and the mode it was begun with. */
import { rm } from "node:fs/promises";
import path from "node:path";
import type { SessionId } from "@retinue/protocol";
import { retinueHome } from "../settings/retinue-home.ts";
import { begunModeFile } from "./begun-modes.ts";

export const forgetSessions = async (sessionIds: readonly SessionId[], env: NodeJS.ProcessEnv): Promise<void> => {
  const home = retinueHome(env);
  for (const sessionId of sessionIds) {
    const name = path.basename(sessionId);
    await rm(path.join(home, "undo", name), { recursive: true, force: true });
    await rm(path.join(home, "later", `${name}.json`), { force: true });
    await rm(begunModeFile(home, sessionId), { force: true });
  }
};
