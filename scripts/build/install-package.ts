/**
 * Packs a built package and lays it out in an empty folder as npm would install it, without a network: unpacked, beside what its manifest
 * asks for and nothing else. A dependency that the manifest forgot is therefore missing.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";

export type InstallOptions = {
  /** Of the checkout, whose dependencies are lent. */
  readonly root: string;
  /** The built package. */
  readonly built: string;
  /** Where it is installed. */
  readonly app: string;
};

/** Gives the folder of the installed package. */
export const installPackage = ({ root, built, app }: InstallOptions): string => {
  const packed = path.join(app, "packed");
  mkdirSync(packed, { recursive: true });
  execFileSync("npm", ["pack", "--silent", "--pack-destination", packed], {
    cwd: built,
    stdio: ["ignore", "ignore", "inherit"],
    // npm for Windows is a script.
    shell: process.platform === "win32",
  });
  const [tarball] = readdirSync(packed);
  if (tarball === undefined) throw new Error("npm pack made no file");
  const installed = path.join(app, "node_modules/retinue");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", path.join(packed, tarball), "-C", installed, "--strip-components=1"]);
  const { dependencies } = JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies)) {
    const place = path.join(app, "node_modules", name);
    mkdirSync(path.dirname(place), { recursive: true });
    symlinkSync(path.join(root, "node_modules", name), place, "junction");
  }
  return installed;
};
