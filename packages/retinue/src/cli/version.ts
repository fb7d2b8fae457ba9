/** The version of this package. */
import { readFileSync } from "node:fs";
import { packageFile } from "./package-file.ts";

export const readVersion = (): string =>
  (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { readonly version: string }).version;
