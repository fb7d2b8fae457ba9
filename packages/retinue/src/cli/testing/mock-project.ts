/** A project whose model is a server on the loopback that answers by script. */
import type { MockReply, MockServer, MockServerOptions } from "@retinue/model/testing";
import { startMockServer } from "@retinue/model/testing";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Project } from "./spawn-retinue.ts";
import { createProject } from "./spawn-retinue.ts";

export type MockProject = {
  readonly project: Project;
  readonly server: MockServer;
  /** The user's own settings: nobody has to trust them first. */
  readonly settingsFile: string;
  readonly remove: () => Promise<void>;
};

export const mockSettings = (baseUrl: string, more = ""): string =>
  `model: local/any-name\nproviders: { local: { type: openai-compatible, baseUrl: "${baseUrl}" } }\nretry: { attempts: 1, unreachableMs: 0 }\n${more}`;

/** Answers in this order, or as the function says. */
export const createMockProject = async (
  replies: readonly MockReply[] | NonNullable<MockServerOptions["reply"]>,
  more = "",
): Promise<MockProject> => {
  const server = await startMockServer(typeof replies === "function" ? { reply: replies } : { replies });
  const project = await createProject();
  const settingsFile = join(project.home, "retinue.yaml");
  await writeFile(settingsFile, mockSettings(server.baseUrl, more));
  return {
    project,
    server,
    settingsFile,
    remove: async () => {
      await server.close();
      await project.remove();
    },
  };
};

/** A call of the model. */
export const call = (name: string, input: object): { readonly name: string; readonly arguments: string } => ({
  name,
  arguments: JSON.stringify(input),
});

/** Every line of it fits into 80 columns. */
export const widestLine = (text: string): number => Math.max(...text.split("\n").map((line) => Array.from(line).length));
