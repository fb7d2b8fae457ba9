/** Providers take no dots in the names of tools; ours have one between a server and its tool. */

export const toWireName = (name: string): string => name.replaceAll(".", "__");

/** Of a name that no tool has as it stands. */
export const fromWireName = (name: string): string => name.replaceAll("__", ".");
