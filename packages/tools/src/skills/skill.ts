/** Instructions for a kind of work, in a folder of its own. */
export type Skill = {
  readonly name: string;
  readonly description: string;
  /** Absolute, real path of the skill's own folder. */
  readonly folder: string;
  /** Of a skill that code gave: its instructions. It has no folder then. */
  readonly text?: string;
};
