/** Numbers as people read them, the same everywhere on the page: money, tokens, durations, ages. */

/** `$0.04`; below a cent with as many digits as it takes to be more than nothing. */
export const money = (usd: number): string => {
  if (usd === 0) return "$0.00";
  if (usd < 0.001) return "<$0.001";
  return usd < 0.1 ? `$${usd.toFixed(3)}` : `$${usd.toFixed(2)}`;
};

/** `840`, `12.3k`, `1.2M`. */
export const count = (value: number): string => {
  if (value < 1000) return String(Math.round(value));
  if (value < 10_000) return `${(value / 1000).toFixed(1)}k`;
  if (value < 1_000_000) return `${Math.round(value / 1000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
};

const two = (value: number): string => String(value).padStart(2, "0");

/** A clock, `0:41`, `12:03`, `1:02:45`. */
export const clock = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
};

/** How long something took: `12 ms`, `1.2 s`, then as a clock. */
export const took = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : clock(ms);
};

/** `just now`, `4 min ago`, `3 h ago`, then the day. */
export const ago = (at: string, now: number): string => {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "short" });
};

/** Two times as a person's clock shows them, `12:03:10`: with fractions where they are close, with their days where these are not the same. */
export const timesOfDay = (from: number, to: number): readonly [from: string, to: string] => {
  const [first, last] = [new Date(from), new Date(to)];
  const isOneDay = first.toDateString() === last.toDateString();
  const format = new Intl.DateTimeFormat("en-GB", {
    ...(isOneDay ? {} : { day: "numeric", month: "short" }),
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...(to - from < 10_000 ? { fractionalSecondDigits: 2 } : {}),
  });
  return [format.format(first), format.format(last)];
};

export const bytes = (size: number): string =>
  size < 1024 ? `${size} B` : size < 1_048_576 ? `${Math.round(size / 1024)} KB` : `${(size / 1_048_576).toFixed(1)} MB`;

/** `1 call`, `3 calls`. */
export const plural = (value: number, one: string, many = `${one}s`): string => `${value} ${value === 1 ? one : many}`;
