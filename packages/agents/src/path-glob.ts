/** Globs of paths inside the workspace, as `writes` takes them: relative, without a way out, and cheap to match. */
import { isPathGlob } from "@retinue/runtime";

const LONGEST = 200;
const MOST_STARS = 6;

/** The glob in its plain form; undefined where it leads out of the workspace or is none that we take. */
export const toPathGlob = (raw: string): string | undefined => {
  let glob = raw.trim().replaceAll("\\", "/");
  while (glob.startsWith("./")) glob = glob.slice(2);
  if (glob.endsWith("/")) glob = `${glob}**`;
  const isOutside = glob.startsWith("/") || /^[~$!]|^[A-Za-z]:/.test(glob) || glob.split("/").includes("..");
  const isCostly = glob.length > LONGEST || (glob.match(/\*+/g)?.length ?? 0) > MOST_STARS || /\*{3}/.test(glob);
  return glob === "" || isOutside || isCostly || !isPathGlob(glob) ? undefined : glob;
};

/** A path rule of Claude Code, which follows gitignore: `/x` is of the project, a name without a slash is at any depth. */
export const fromGitignoreRule = (rule: string): string | undefined => {
  const trimmed = rule.trim();
  if (trimmed.startsWith("//")) return undefined;
  const relative = withSingleStars(trimmed.replace(/^\.?\//, ""));
  const glob = toPathGlob(relative);
  return glob === undefined || trimmed.startsWith("/") || relative.replace(/\/$/, "").includes("/")
    ? glob
    : toPathGlob(`**/${glob}`);
};

/** Two stars that are a part of a name are one, as gitignore has it. */
const withSingleStars = (pattern: string): string =>
  pattern
    .split("/")
    .map((name) => (name === "**" ? name : name.replaceAll(/\*{2,}/g, "*")))
    .join("/");

/** A path pattern of opencode, whose `*` also crosses folders. */
export const fromOpencodePattern = (pattern: string): string | undefined => {
  const segments = withSingleStars(pattern.trim()).split("/");
  const last = segments.length - 1;
  return toPathGlob(
    segments
      .map((segment, index) => {
        if (segment === "*" && index === last) return "**";
        return /^\*[^*]/.test(segment) ? `**/${segment}` : segment;
      })
      .join("/"),
  );
};
