/** The part of `turndown-plugin-gfm`, which ships no types, that is used here. */
declare module "turndown-plugin-gfm" {
  import type TurndownService from "turndown";
  export const gfm: TurndownService.Plugin;
}
