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
  const relative = trimmed.replace(/^\.?\//, "");
  const glob = toPathGlob(relative);
  return glob === undefined || trimmed.startsWith("/") || relative.replace(/\/$/, "").includes("/")
    ? glob
    : toPathGlob(`**/${glob}`);
};

/** A path pattern of opencode, whose `*` also crosses folders. */
export const fromOpencodePattern = (pattern: string): string | undefined => {
  const segments = pattern.trim().split("/");
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
