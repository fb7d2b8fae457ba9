/** A part of a name as a regular expression that finds just that, for runners that take nothing else. */
export const toNamePattern = (part: string): string => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
