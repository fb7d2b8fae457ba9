/** The screens of a process: one for each session that works on one. */
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AnyTool, Resource } from "@retinue/runtime";
import { defineResource } from "@retinue/runtime";
import type { SecretValues } from "../fill-secrets.ts";
import { findDesktopPrograms, findXvfb, requireProgram } from "./desktop-programs.ts";
import { DesktopSession } from "./desktop-session.ts";
import type { DesktopSessionOptions } from "./desktop-session.ts";
import type { DesktopToolOptions } from "./desktop-tool-options.ts";
import { createClickTool } from "./click.ts";
import { createKeyTool } from "./key.ts";
import { createScreenshotTool } from "./screenshot.ts";
import { createScrollTool } from "./scroll.ts";
import { createTypeTool } from "./type-text.ts";

export type DesktopsOptions = {
  readonly env: NodeJS.ProcessEnv;
  /** Of sessions that nobody said anything of. */
  readonly display?: string | undefined;
  readonly secrets?: () => SecretValues;
  /** Answers questions about the screen; without it the agent's own model, if it reads images. */
  readonly visionModel?: string | undefined;
};

export type Desktops = {
  readonly tools: readonly AnyTool[];
  /** The screen of a session; holds for those opened from now on. */
  readonly configure: (sessionId: SessionId, options: DesktopSessionOptions) => void;
  readonly find: (sessionId: SessionId) => DesktopSession | undefined;
  /** Why a screen of its own with these programs cannot be had on this machine; null where nothing is missing. */
  readonly findMissing: (programs: readonly string[]) => string | null;
};

const NO_SECRETS: SecretValues = new Map();

export const createDesktops = ({ env, display, secrets = () => NO_SECRETS, visionModel }: DesktopsOptions): Desktops => {
  const wanted = new Map<SessionId, DesktopSessionOptions>();
  const open = new Map<SessionId, DesktopSession>();
  const desktop: Resource<DesktopSession> = defineResource({
    name: "screen",
    per: "session",
    open: async ({ sessionId, workspace }) => {
      const opened = await DesktopSession.open({ display, cwd: workspace, ...wanted.get(sessionId) }, env);
      open.set(sessionId, opened);
      return opened;
    },
    close: async (held) => {
      for (const [sessionId, opened] of open) if (opened === held) open.delete(sessionId);
      await held.close();
    },
  });
  const options: DesktopToolOptions = { desktop, visionModel, secrets };
  return {
    tools: [
      createScreenshotTool(options),
      createClickTool(options),
      createTypeTool(options),
      createKeyTool(options),
      createScrollTool(options),
    ],
    configure: (sessionId, given) => void wanted.set(sessionId, given),
    find: (sessionId) => open.get(sessionId),
    findMissing: (programs) => {
      try {
        findXvfb(env);
        findDesktopPrograms(env);
        for (const name of programs) requireProgram(name, env);
        return null;
      } catch (thrown) {
        if (!(thrown instanceof RetinueError)) throw thrown;
        return [thrown.message, ...(thrown.hint === undefined ? [] : [thrown.hint])].join(" ");
      }
    },
  };
};
