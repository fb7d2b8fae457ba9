/** What a folder of agents brings, before anything of it is used: plugins with agents, skills and commands, and what they would have run. */
export type CollectionFile = {
  /** Below the folder that was looked at, with slashes. */
  readonly from: string;
  /** Below the project or the home, with slashes. */
  readonly to: string;
  readonly content: Uint8Array;
};

export type CollectionItem = {
  readonly kind: "agent" | "skill" | "command";
  readonly name: string;
  /** What of it a reader wants to know: the tools of an agent, the description of others. */
  readonly about: string;
  /** Why it would be left out by a session; such an item is not copied. */
  readonly error?: string;
  readonly files: readonly CollectionFile[];
};

/** Commands that a plugin would have run. Retinue runs none of them. */
export type CollectionProgram = {
  readonly kind: "hook" | "server";
  readonly name: string;
  /** The command line or the address. */
  readonly runs: string;
};

export type Plugin = {
  readonly name: string;
  readonly description: string;
  readonly items: readonly CollectionItem[];
  readonly programs: readonly CollectionProgram[];
};

export type Collection = {
  /** Real and absolute. */
  readonly folder: string;
  readonly plugins: readonly Plugin[];
  readonly problems: readonly string[];
};
