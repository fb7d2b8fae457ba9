/** How a call refers to a secret that it may not know: `{{secret:NAME}}`, which a tool fills in where a human has allowed that. */

export const SECRET_REFERENCE = /\{\{secret:([A-Za-z_][\w.-]{0,63})\}\}/g;

/** The names that a text refers to, each once. */
export const secretNamesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(SECRET_REFERENCE)].map(([, name = ""]) => name)),
];
