import { toDeclaration } from "@retinue/runtime";
import { expect, it } from "vitest";
import { createBuiltinTools } from "./builtin-tools.ts";

it("every built-in tool has its own name, its effect and a schema that a model can be given", () => {
  const tools = createBuiltinTools({
    webSearch: { engine: { type: "searxng", baseUrl: "http://127.0.0.1:1" } },
    queryDb: { databases: { shop: "shop.db" } },
  });
  expect(Object.fromEntries(tools.map((tool) => [tool.name, tool.effect]))).toEqual({
    read: "read",
    ls: "read",
    glob: "read",
    grep: "read",
    code_search: "read",
    overview: "read",
    plan_files: "read",
    docs_coverage: "read",
    write: "write",
    edit: "write",
    shell: "execute",
    test: "execute",
    git: "read",
    git_diff: "read",
    git_commit: "write",
    web_fetch: "network",
    web_search: "network",
    query_db: "read",
    ask_user: "read",
    todo: "read",
  });
  for (const tool of tools) expect(toDeclaration(tool).inputSchema).toMatchObject({ type: "object" });
});

it("a search engine or database that nobody configured is no tool", () => {
  const names = createBuiltinTools().map(({ name }) => name);
  for (const name of ["web_search", "query_db", "search_documents"]) expect(names).not.toContain(name);
});
