/** What a tool says to a model is bounded, and holds nothing that a store cannot keep. */

/** Below what the loop shortens, so that a tool's own cut, which knows what it cuts, comes first. */
export const MAX_OUTPUT_CHARS = 15_000;

/** A NUL cannot be kept in every database; it is shown by its symbol. */
export const toModelText = (text: string): string => text.replaceAll("\0", "\u2400");

export const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
};

/** `1 file`, `2 files`. */
export const count = (number: number, noun: string, plural = `${noun}s`): string => `${number} ${number === 1 ? noun : plural}`;
