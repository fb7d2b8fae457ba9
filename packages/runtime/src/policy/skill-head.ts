/** How the text of a loaded skill is told from other text: written by the tool that loads skills, looked for by policy. */
export const LOAD_SKILL = "load_skill";

export const toSkillHead = (name: string): string => `[skill ${name}]`;
