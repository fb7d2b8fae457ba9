/** The files of a ZIP archive as text, a character for each byte, to look for what must or must not stand in them. */
import { scrubZip } from "../browser/recording/scrub-zip.ts";

export const readZipTexts = (zip: Buffer): readonly string[] => {
  const texts: string[] = [];
  scrubZip(zip, (_name, data) => {
    texts.push(data.toString("latin1"));
    return data;
  });
  return texts;
};
