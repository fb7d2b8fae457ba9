import { toDeclaration } from "@retinue/runtime";
import { expect, it } from "vitest";
import { createBuiltinTools } from "./builtin-tools.ts";

it("every built-in tool has its own name, its effect and a schema that a model can be given", () => {
  const tools = createBuiltinTools();
  expect(Object.fromEntries(tools.map((tool) => [tool.name, tool.effect]))).toEqual({
    read: "read",
    ls: "read",
    glob: "read",
    grep: "read",
    write: "write",
    shell: "execute",
  });
  for (const tool of tools) expect(toDeclaration(tool).inputSchema).toMatchObject({ type: "object" });
});
