/** Words of a Seatbelt profile: paths as strings, and globs of protected names as expressions that fit in any case. Nothing that a path holds ends its string. */
import { RetinueError } from "@retinue/protocol";

/** A string as the profile language reads it. What cannot be said in one is refused, since a rule about another path would be made. */
export const toText = (text: string): string => {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\u0000-\u001F\u007F]/.test(text) || !text.isWellFormed())
    throw new RetinueError("sandbox_unavailable", `${JSON.stringify(text)} cannot be named in a sandbox profile.`, {
      hint: "The user has to rename it: control characters and broken Unicode cannot be protected.",
    });
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
};

export const toLiteral = (file: string): string => `(literal ${toText(file)})`;

export const toSubpath = (folder: string): string => `(subpath ${toText(folder)})`;

export type NameGlobs = {
  /** Below this folder, at any depth. */
  readonly folder: string;
  readonly globs: readonly string[];
  /** With all that lies below them. */
  readonly withBelow: boolean;
};

export const toNameRegex = ({ folder, globs, withBelow }: NameGlobs): string => {
  const names = globs.map(toExpression).join("|");
  return `(regex ${toText(`^${escape(folder === "/" ? "" : folder)}/(.*/)?(${names})${withBelow ? "(/.*)?" : ""}$`)})`;
};

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** `*`, `{a,b}` and letters; there is nothing else in the globs of protected names. */
const toExpression = (glob: string): string =>
  glob.replaceAll(/./g, (letter) => {
    if (letter === "*") return "[^/]*";
    if (letter === "{") return "(";
    if (letter === "}") return ")";
    if (letter === ",") return "|";
    return /[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : escape(letter);
  });
