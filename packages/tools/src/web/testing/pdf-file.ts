/** PDF files made by hand: small ones to read, and those that a hostile server would send. */
import { deflateSync } from "node:zlib";

/** One page for each text; its lines are drawn below one another. */
export const createPdf = (pages: readonly string[], { title = "Untitled" } = {}): Buffer => {
  const contents = pages.map((page) => {
    const lines = page.split("\n").map((line) => `(${line.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj T*`);
    return Buffer.from(`BT /F1 12 Tf 14 TL 72 720 Td ${lines.join(" ")} ET`);
  });
  return createPdfOf(contents, title);
};

/** A page whose content unfolds to this many bytes of nothing. */
export const createPdfBomb = (bytes: number): Buffer => createPdfOf([Buffer.alloc(bytes, " ")], "bomb");

/** All pages are one and the same, so that the file stays small. */
export const createPdfOfManyPages = (pages: number): Buffer =>
  createPdfOf([Buffer.from("BT /F1 12 Tf 72 720 Td (the same page) Tj ET")], "many", pages);

const createPdfOf = (contents: readonly Buffer[], title: string, copies = 1): Buffer => {
  const count = contents.length * copies;
  const firstContent = 5;
  const firstPage = firstContent + contents.length;
  const streams = contents.map((content) => {
    const packed = deflateSync(content, { level: 1 });
    return Buffer.concat([
      Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
      packed,
      Buffer.from("\nendstream"),
    ]);
  });
  const pages = contents.map((_, at) =>
    Buffer.from(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> ` +
        `/Contents ${firstContent + at} 0 R >>`,
    ),
  );
  const kids = Array.from({ length: count }, (_, at) => `${firstPage + (at % pages.length)} 0 R`);
  const objects: Buffer[] = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from(`<< /Type /Pages /Count ${count} /Kids [${kids.join(" ")}] >>`),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
    Buffer.from(`<< /Title (${title}) >>`),
    ...streams,
    ...pages,
  ];
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [at, object] of objects.entries()) {
    offsets.push(length);
    const part = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    parts.push(part);
    length += part.length;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const trailer =
    `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}` +
    `trailer << /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(trailer)]);
};
