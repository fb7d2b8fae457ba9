/** Settings from the command line. */
import { fromText } from "./from-text.ts";
import type { Layer, RawMap } from "./layer.ts";
import { withRaw } from "./layer.ts";
import type { SettingsPath } from "./schema-walk.ts";

export type FlagSetting = {
  /** As the user wrote it, like `--limit`. */
  readonly name: string;
  readonly path: SettingsPath;
  readonly value: string;
};

export const readFlagLayer = (flags: readonly FlagSetting[]): Layer => {
  let tree: RawMap = {};
  for (const flag of flags) tree = withRaw(tree, flag.path, fromText(flag.value, flag.path));
  const nameOf = (path: SettingsPath): string => flags.find((flag) => flag.path.join("\n") === path.join("\n"))?.name ?? "flags";
  return { tree, origin: (path) => ({ type: "flag", name: nameOf(path) }), where: nameOf, problems: [] };
};
