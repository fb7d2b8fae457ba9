/** Places outside the workspace that a program needs because its own command line names them: whoever wrote the line wanted them to be seen. */
import { realpath, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isInside, protectionOf } from "@retinue/runtime";

type Environment = Readonly<Record<string, string | undefined>>;

/** What words name by whole paths: folders as they are, and of programs what they are a part of. */
export const findNamedPlaces = async (words: readonly string[], env: Environment): Promise<readonly string[]> => {
  const home = env["HOME"] === undefined ? undefined : await realpath(env["HOME"]).catch(() => undefined);
  const places = new Set<string>();
  for (const word of words) {
    const named = path.isAbsolute(word) ? path.normalize(word) : undefined;
    const real = named === undefined ? undefined : await realpath(named).catch(() => undefined);
    if (named === undefined || real === undefined) continue;
    const isFolder = (await stat(real)).isDirectory();
    for (const at of [named, real]) {
      const place = isFolder ? at : await toPackage(at);
      if (isFit(place, home)) places.add(place);
      else if (!isFolder && isFit(at, home)) places.add(at);
    }
  }
  return [...places];
};

/** The words of a command line for a shell, with the home of the user in place of `~` and `$HOME`. Quotes are left out, nothing else is understood. */
export const toNamedWords = (line: string, env: Environment): readonly string[] =>
  line
    .replaceAll(/["']/g, "")
    .split(/[\s;&|()<>=]+/)
    .map((word) => word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, env["HOME"] ?? "~"));

/** What everybody shares is no place of one program. */
const SHARED = ["/home", "/root", "/run", "/var/run", "/tmp", "/var/tmp"];
/** Made anew for each sandbox. */
const OWN = ["/dev", "/proc", "/sys"];

/** Never all of a home or of a temporary folder, and never what is a secret there. */
const isFit = (place: string, home: string | undefined): boolean => {
  if (place === path.dirname(place) || OWN.some((folder) => isInside(folder, place))) return false;
  if ([...SHARED, tmpdir()].some((folder) => isInside(place, folder))) return false;
  if (home === undefined) return true;
  if (isInside(place, home)) return false;
  return !isInside(home, place) || protectionOf(path.relative(home, place).split(path.sep).join("/"))?.read !== "deny";
};

const MARKS = ["package.json", "pyproject.toml", "go.mod", "Cargo.toml"];

/** The folder that a program needs around it: all packages that were installed together, or the one that it is a part of. */
const toPackage = async (file: string): Promise<string> => {
  const installed = file.indexOf("/node_modules/");
  if (installed !== -1) return file.slice(0, installed + "/node_modules".length);
  for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at))
    for (const mark of MARKS) if (await stat(path.join(at, mark)).catch(() => undefined)) return at;
  return path.dirname(file);
};
