/** Where something that would be started or loaded comes from. What a project brings needs trust; what the user set up does not. */

export type Origin =
  | { readonly type: "user" }
  | {
      readonly type: "project";
      /** Absolute, real path of the project. */
      readonly project: string;
      /** The file that says so, for people. */
      readonly file: string;
    };

export const USER: Origin = { type: "user" };
