/** Reads every module a source file names, types included, from its syntax tree. Vite's parser, because it knows TypeScript. */
import { parseSync } from "vite";

export type ImportReference = { readonly specifier: string; readonly line: number };

type SyntaxNode = { readonly type: string; readonly start: number; readonly [key: string]: unknown };

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** The text of a string literal, or of a template without holes. */
const literalText = (value: unknown): string | undefined => {
  if (!isNode(value)) return undefined;
  if (value.type === "Literal" && typeof value["value"] === "string") return value["value"];
  if (value.type === "TSLiteralType") return literalText(value["literal"]);
  if (value.type !== "TemplateLiteral" || !Array.isArray(value["quasis"]) || value["quasis"].length !== 1) return undefined;
  const [quasi]: unknown[] = value["quasis"];
  const text = isNode(quasi) ? quasi["value"] : undefined;
  return typeof text === "object" && text !== null && "cooked" in text && typeof text.cooked === "string"
    ? text.cooked
    : undefined;
};

const isRequire = (node: SyntaxNode): boolean =>
  node.type === "CallExpression" && isNode(node["callee"]) && node["callee"]["name"] === "require";

/** What a node imports; `undefined` for every node that imports nothing, or nothing that can be known beforehand. */
const specifierOf = (node: SyntaxNode): string | undefined => {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return literalText(node["source"] ?? node["argument"]);
    case "TSExternalModuleReference":
      return literalText(node["expression"]);
    case "CallExpression":
      return isRequire(node) && Array.isArray(node["arguments"]) ? literalText(node["arguments"][0]) : undefined;
    default:
      return undefined;
  }
};

const lineOf = (source: string, offset: number): number => source.slice(0, offset).split("\n").length;

export const readImports = (file: string, source: string): ImportReference[] => {
  const parsed = parseSync(file, source);
  const [problem] = parsed.errors;
  if (problem !== undefined) throw new Error(`${file} cannot be parsed: ${problem.message}`);
  const found: ImportReference[] = [];
  const pending: unknown[] = [parsed.program];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null) continue;
    if (isNode(value)) {
      const specifier = specifierOf(value);
      if (specifier !== undefined) found.push({ specifier, line: lineOf(source, value.start) });
    }
    pending.push(...Object.values(value));
  }
  return found.toSorted((a, b) => a.line - b.line);
};
