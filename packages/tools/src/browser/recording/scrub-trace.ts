/**
 * Takes secrets out of a trace of Playwright: what was typed stands in it in plain text, and so does what pages showed and sent. Its own files are lines of JSON, in which only texts are looked
 * at, so that a short secret changes no time and no size; what pages sent stands beside them as it was.
 */
import { scrubZip } from "./scrub-zip.ts";

export const scrubTrace = (zip: Buffer, mask: (text: string) => string): Buffer =>
  scrubZip(zip, (name, data) =>
    /\.(?:trace|network|stacks)$/.test(name)
      ? Buffer.from(
          data
            .toString("utf8")
            .split("\n")
            .map((line) => scrubLine(line, mask))
            .join("\n"),
        )
      : Buffer.from(mask(data.toString("latin1")), "latin1"),
  );

const scrubLine = (line: string, mask: (text: string) => string): string => {
  // Most lines hold none.
  if (mask(line) === line) return line;
  try {
    return JSON.stringify(JSON.parse(line, (_, value: unknown) => (typeof value === "string" ? mask(value) : value)));
  } catch {
    return mask(line);
  }
};
