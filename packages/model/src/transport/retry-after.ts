/** The wait a server asks for, from its headers. */

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)?.trim();

/** `retry-after-ms`, else `retry-after` in seconds or as a date; undefined where there is none that can be read. */
export const readRetryAfterMs = (headers: Headers, nowDate: number): number | undefined => {
  const exact = first(headers["retry-after-ms"]);
  if (exact !== undefined && /^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
  const value = first(headers["retry-after"]);
  if (value === undefined || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowDate);
};
