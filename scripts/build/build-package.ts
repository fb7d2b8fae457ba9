/**
 * Builds the package that is published: the command and the library as a few files of JavaScript, with everything that they read or start
 * beside them, in a folder that `npm pack` takes as it is.
 */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildPage } from "./build-page.ts";
import { toLicences } from "./bundled-licences.ts";
import { CODE, layOutCode } from "./lay-out-code.ts";
import { writeTypes } from "./write-types.ts";

export type Built = {
  /** Names of the files of code. */
  readonly code: readonly string[];
  readonly bytes: number;
};

export type BuildOptions = { readonly root: string; readonly folder: string };

/** Whatever stood in the folder before is gone. */
export const buildPackage = async ({ root, folder }: BuildOptions): Promise<Built> => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = await layOutCode({ root, folder });
  cpSync(path.join(root, "packages/retinue/bin"), path.join(folder, "bin"), { recursive: true });
  pointAtCode(path.join(folder, "bin/command-code.mjs"));
  cpSync(path.join(root, "README.md"), path.join(folder, "README.md"));
  const page = await buildPage(root);
  cpSync(page.folder, path.join(folder, "web"), { recursive: true });
  const types = path.join(folder, "types");
  mkdirSync(types);
  await writeTypes(root, types);
  const modules = files.flatMap((file) => file.modules);
  writeFileSync(path.join(folder, "LICENCES-OF-OTHERS.txt"), toLicences([...modules, ...page.modules]));
  return { code: files.map(({ name }) => name), bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
};

/** In a checkout that file looks for a bundle of the sources; in the package there is nothing to look for. */
const pointAtCode = (file: string): void => {
  if (!existsSync(file)) throw new Error(`${file} is not there`);
  writeFileSync(
    file,
    `/** Where the code of the command lies. */\nexport const findCommandCode = () => new URL("../${CODE}/main.js", import.meta.url).href;\n`,
  );
};
