/** Amounts as people read them: time, counts, tokens, money. */

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Null where no price is known. */
export const money = (costUsd: number | null): string => {
  if (costUsd === null) return "cost unknown";
  return `$${costUsd === 0 || costUsd >= 0.01 ? costUsd.toFixed(2) : costUsd.toPrecision(2)}`;
};

const STEPS: readonly (readonly [unit: string, from: number])[] = [
  ["G", 1e9],
  ["M", 1e6],
  ["k", 1e3],
];

/** At most four signs and a unit: 950, 12.3k, 4.5M. */
export const brief = (number: number): string => {
  const [unit, from] = STEPS.find(([, least]) => number >= least) ?? ["", 1];
  const value = number / from;
  return `${unit === "" || value >= 100 ? Math.round(value) : value.toFixed(1)}${unit}`;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** In the unit that fits: 0.4 s, 12.0 s, 3 min, 2.5 h, 4.0 d. */
export const duration = (ms: number): string => {
  if (ms < 2 * MINUTE) return seconds(ms);
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)} min`;
  return ms < 2 * DAY ? `${(ms / HOUR).toFixed(1)} h` : `${(ms / DAY).toFixed(1)} d`;
};

/** How long ago, without the seconds. */
export const age = (ms: number): string => {
  if (ms < MINUTE) return "now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  return ms < DAY ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / DAY)} d`;
};

const two = (number: number): string => String(number).padStart(2, "0");

/** To the second, in the time zone of the machine. */
export const localTime = (at: string): string => {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};
