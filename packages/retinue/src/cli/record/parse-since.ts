/** A point in time as a user writes it: `7d` ago, or a date. */
import { RetinueError } from "@retinue/protocol";

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

const LATEST = 8.64e15;

/** As ISO 8601. `option` is named where it is wrong. */
export const parseSince = (text: string, option: string, now: number): string => {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([mhdw])$/.exec(text.trim()) ?? [];
  const ms = amount === undefined ? undefined : Number(amount) * (UNITS[unit ?? ""] ?? 0);
  const at = ms === undefined ? (/^\d{4}-\d\d-\d\d/.test(text.trim()) ? Date.parse(text) : Number.NaN) : now - ms;
  if (!Number.isFinite(at) || Math.abs(at) > LATEST)
    throw new RetinueError("usage", `${option} ${text} is no time.`, {
      hint: "Write 90m, 12h, 7d or 4w for a time ago, or a date like 2026-11-01.",
    });
  return new Date(at).toISOString();
};
