import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

it("D10: no tool of the web or of knowledge opens a connection but by the guarded request, or to a database that the settings name", () => {
  const root = path.join(import.meta.dirname, "..");
  const sources = globSync("{web,knowledge}/**/*.ts", { cwd: root }).filter((file) => !/\.test\.ts$|testing\//.test(file));
  expect(sources).toContain("web/guarded-request.ts");
  const opening = sources.filter((file) =>
    /(from|import\()\s*"(undici|node:(http2?|https|net|tls|dgram))"|\bfetch\(|new WebSocket|new EventSource/.test(
      readFileSync(path.join(root, file), "utf8").replaceAll(
        /import type [^;]+;|import \{ (isIP|BlockList, isIP) \} from [^;]+;|const \{ STATUS_CODES \} = await import\("node:http"\);/g,
        "",
      ),
    ),
  );
  expect(opening.toSorted()).toEqual(["knowledge/database/query-postgres.ts", "web/guarded-request.ts"]);
});
