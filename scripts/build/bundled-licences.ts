/** The licences of the packages of others whose code became a part of ours. One without a licence is not shipped. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

type Manifest = { readonly name: string; readonly version: string; readonly license?: string };

/** `modules`: the files that the code was made of. */
export const toLicences = (modules: readonly string[]): string => {
  const folders = new Set(modules.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []));
  return [...folders]
    .toSorted()
    .map((folder) => {
      const { name, version, license = "" } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;
      const [file] = globSync("{LICENSE,LICENCE,license}*", { cwd: folder });
      if (file === undefined) throw new Error(`${name} has no licence to ship with its code`);
      return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
};
