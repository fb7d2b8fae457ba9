/**
 * Providers whose protocol is in a package of the AI SDK that the user installs: it drags in the cloud's own SDK, which few need. It is looked for beside
 * this program and in the user's own folder, never in the workspace, whose code is not to be run.
 */
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { RetinueError } from "@retinue/protocol";
import { toFetch } from "../ai-sdk/to-fetch.ts";
import type { Provider } from "./provider.ts";

type SdkPackage = Pick<Provider, "type" | "baseUrl" | "keyEnvs" | "priceSource"> & {
  readonly packageName: string;
  /** The function of the package that makes a provider. */
  readonly create: string;
  readonly toOptions: (given: {
    readonly apiKey: string | undefined;
    readonly env: NodeJS.ProcessEnv;
  }) => Readonly<Record<string, unknown>>;
};

const ownFolder = (): string => process.env["RETINUE_HOME"]?.trim() || join(homedir(), ".retinue");

const load = async (type: string, name: string): Promise<Readonly<Record<string, unknown>>> => {
  const folder = ownFolder();
  for (const from of [import.meta.url, pathToFileURL(join(folder, "package.json")).href]) {
    let path: string;
    try {
      path = createRequire(from).resolve(name);
    } catch {
      continue;
    }
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>; // A module is an object.
  }
  throw new RetinueError("settings_invalid", `Models of ${type} need the package ${name}, which is not installed.`, {
    hint: `Install it into your own folder: npm install --prefix ${folder} ${name}`,
  });
};

export const toSdkProvider = ({ packageName, create, toOptions, ...preset }: SdkPackage): Provider => ({
  ...preset,
  needsKey: false,
  isLocal: false,
  isOptIn: true,
  maxConcurrent: 32,
  createModel: async ({ model, apiKey, headers, reach, baseUrl, ...rest }) => {
    const [loaded, { fromAiSdk, isAiSdkModel }] = await Promise.all([
      load(preset.type, packageName),
      import("../ai-sdk/from-ai-sdk.ts"),
    ]);
    const make = loaded[create];
    const options = { ...toOptions({ apiKey, env: process.env }), headers: { ...headers }, ...(await toFetch(reach)) };
    const made: unknown =
      typeof make === "function" ? (make as (options: object) => (model: string) => unknown)(options)(model) : undefined;
    if (!isAiSdkModel(made))
      throw new RetinueError(
        "settings_invalid",
        `The package ${packageName} that is installed makes no model that is understood here.`,
        {
          hint: `Install its newest version: npm install --prefix ${ownFolder()} ${packageName}@latest`,
        },
      );
    const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers ?? {})];
    return fromAiSdk(made, { ...rest, host: new URL(baseUrl).host, secrets });
  },
});

/** Amazon Bedrock: credentials and region as AWS's own tools take them from the environment. */
export const bedrock = toSdkProvider({
  type: "bedrock",
  baseUrl: "https://bedrock-runtime.amazonaws.com",
  keyEnvs: ["AWS_BEARER_TOKEN_BEDROCK"],
  priceSource: () => ({ type: "listed", providerId: "aws" }),
  packageName: "@ai-sdk/amazon-bedrock",
  create: "createAmazonBedrock",
  toOptions: ({ apiKey, env }) => ({
    ...(apiKey === undefined ? {} : { apiKey }),
    region: env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"] ?? "us-east-1",
  }),
});

/** Google Vertex: project and place as Google's own tools take them from the environment. */
export const vertex = toSdkProvider({
  type: "vertex",
  baseUrl: "https://aiplatform.googleapis.com",
  keyEnvs: ["GOOGLE_VERTEX_API_KEY"],
  priceSource: () => ({ type: "listed", providerId: "google" }),
  packageName: "@ai-sdk/google-vertex",
  create: "createVertex",
  toOptions: ({ apiKey, env }) => ({
    ...(apiKey === undefined ? {} : { apiKey }),
    project: env["GOOGLE_VERTEX_PROJECT"] ?? env["GOOGLE_CLOUD_PROJECT"],
    location: env["GOOGLE_VERTEX_LOCATION"] ?? env["GOOGLE_CLOUD_LOCATION"] ?? "global",
  }),
});
