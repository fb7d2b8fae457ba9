/**
 * Lays the bundled code out with all that it reads: manifest, agents and schemas. All files of code lie in one folder at the depth that the
 * sources have, so that whatever a source finds beside itself is found there, too.
 */
import { cpSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PARSED_FILE, readBuiltinFiles } from "../../packages/agents/src/builtin-agents.ts";
import { BUNDLED, bundleCode, type BundledFile, type BundleOptions } from "./bundle-code.ts";
import { toPublishedManifest } from "./published-manifest.ts";

/** Where files of code lie in the package. */
export const CODE = "lib/retinue";

/** What is copied as it is. */
export const BUILTIN = "packages/agents/builtin";
export const SCHEMAS = ["packages/retinue/retinue.schema.json", "packages/retinue/test-case.schema.json"];

export type LayOutOptions = Pick<BundleOptions, "root" | "folder" | "onModule">;

export const layOutCode = async ({ root, folder, onModule }: LayOutOptions): Promise<readonly BundledFile[]> => {
  const manifest = toPublishedManifest({ root, bundled: BUNDLED, code: CODE });
  const files = await bundleCode({
    root,
    folder: path.join(folder, CODE),
    beside: new Set(Object.keys(manifest.dependencies)),
    ...(onModule && { onModule }),
  });
  const builtin = path.join(folder, CODE, "..", "builtin");
  cpSync(path.join(root, BUILTIN), builtin, { recursive: true });
  const parsed = [...(await readBuiltinFiles()).values()].map(
    ({ file, definition }) => [path.basename(file), definition] as const,
  );
  writeFileSync(path.join(builtin, PARSED_FILE), JSON.stringify(Object.fromEntries(parsed)));
  for (const schema of SCHEMAS) cpSync(path.join(root, schema), path.join(folder, path.basename(schema)));
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return files;
};
