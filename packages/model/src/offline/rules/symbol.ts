/** Where a name is defined, and who uses it. */
import { definedName, isOwnSource, kindOf } from "../ranking.ts";
import type { Term } from "../terms.ts";
import { escapePattern } from "../terms.ts";
import type { FoundLine } from "../tool-output.ts";
import { parseGrep, parseRead } from "../tool-output.ts";
import { GENERIC_NOUNS, STOP_WORDS } from "../word-lists.ts";
import { clip, count, quote } from "../wording.ts";
import { bullets } from "./look-at-project.ts";
import type { Rule, Situation, Turn } from "./rule.ts";
import { answer, call, callOr, exchangesOf, offered, pathOf } from "./rule.ts";

const KIND =
  "(?:the )?(?:(?:function|class|method|type|interface|struct|trait|enum|constant|const|variable|macro|symbol|decorator|module)s? )?";
const NAME = String.raw`["'${"`"}]?([A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*)(?:\(\))?["'${"`"}]?`;
const DEEDS =
  "(?:defined|declared|implemented|used|called|referenced|imported|instantiated|invoked|created|coming from|come from)";
const WANTED = {
  both: new RegExp(
    String.raw`^where (?:is|are|'s|does|do) ${KIND}${NAME}(?: (?:function|class|method|type|struct|macro))? ${DEEDS}\b`,
    "i",
  ),
  uses: new RegExp(
    String.raw`^(?:who|what|which (?:files?|functions?|code|modules?|places)) (?:calls?|uses?|imports?|references?|invokes?) ${KIND}${NAME}\W*$|^(?:find|show|show me|list|give me)?\s*(?:all |every |the )*(?:usages?|uses|callers|references|calls) (?:of|to) ${KIND}${NAME}\W*$`,
    "i",
  ),
  definition: new RegExp(
    String.raw`^(?:find |show |show me |go to )?(?:the )?definition of ${KIND}${NAME}\W*$|^(?:what|who) defines ${KIND}${NAME}\W*$|^(?:find|show me|show) (?:the )?(?:function|class|method|struct|type|interface) ${NAME}\W*$`,
    "i",
  ),
};
/** Alone with "where is", only what looks like a name of code, or what is said to be one: "the Signer class". */
const BARE = new RegExp(String.raw`^where(?: is|'s| are) ${KIND}${NAME}(?: function| class| method)?\W*$`, "i");
const SAID_TO_BE_CODE = new RegExp(
  String.raw`^where(?: is|'s) (?:the )?(?:(?:function|class|method|type|interface|struct|trait|enum) ${NAME}|${NAME} (?:function|class|method|type|interface|struct|trait|enum))\W*$`,
);

export const findSymbol: Rule = ({ text, terms }) => {
  const name =
    Object.values(WANTED)
      .flatMap((pattern) => pattern.exec(text)?.slice(1) ?? [])
      .find((each) => each !== undefined) ?? bareName(text, terms);
  if (name === undefined || STOP_WORDS.has(name.toLowerCase()) || GENERIC_NOUNS.has(name.toLowerCase()) || name.length < 2)
    return undefined;
  return { agent: "code-search", work: (at) => work(at, name) };
};

const bareName = (text: string, terms: readonly Term[]): string | undefined => {
  const [, before, after] = SAID_TO_BE_CODE.exec(text) ?? [];
  if (before !== undefined || after !== undefined) return before ?? after;
  const [, name] = BARE.exec(text) ?? [];
  return name !== undefined && terms.some((term) => term.kind === "identifier" && term.text.startsWith(name)) ? name : undefined;
};

const NOISE = "!{*.lock,*-lock.json,*-lock.yaml,*.min.js,*.map,*.svg,*.snap}";

const work = (at: Situation, named: string): Turn => {
  const exchanges = exchangesOf(at);
  const parts = named.split(/\.|::|#/);
  const name = parts.at(-1) ?? named;
  const greps = exchanges.filter(({ tool, isError }) => tool === "grep" && !isError).map(({ text }) => parseGrep(text));
  const exact = greps[0]?.lines ?? [];
  if (at.turns.length === 0) {
    const definition = String.raw`\b(function\*?|class|interface|type|enum|const|let|var|static|def|fn|func(\s*\([^)]*\))?|struct|trait|mod|module|namespace|macro_rules!)\s+${escapePattern(name)}\b`;
    const calls = offered(
      at,
      call("grep", { pattern: String.raw`\b${escapePattern(name)}\b`, maxResults: 300, glob: NOISE }),
      call("grep", { pattern: definition, maxResults: 20, glob: NOISE }),
    );
    return callOr(`Searching for ${named}.`, calls, () =>
      answer("This needs grep, which is not offered here. Nothing was looked up."),
    );
  }
  const lines = [...new Map(greps.flatMap((grep) => grep.lines).map((line) => [`${line.path}:${line.line}`, line])).values()];
  if (exact.length === 0) {
    const near = greps.slice(2).flatMap((grep) => grep.lines);
    if (at.turns.length === 1)
      return callOr(
        `Nothing is named just ${named}; looking for names that contain it.`,
        offered(
          at,
          call("grep", {
            pattern: escapePattern(name).replaceAll(/[_-]/g, "[_-]?"),
            ignoreCase: true,
            maxResults: 60,
            glob: NOISE,
          }),
        ),
        () => missing(named, near),
      );
    return missing(named, near);
  }
  const definitions = order(lines.filter(({ path, text }) => isDefinition(text, name) && kindOf(path) !== "docs"));
  const uses = order(lines.filter((line) => !definitions.includes(line)));
  const read = exchanges.find(({ tool, isError }) => tool === "read" && !isError);
  const [first] = definitions;
  const calls =
    first && !read ? offered(at, call("read", { path: first.path, offset: Math.max(1, first.line - 3), limit: 16 })) : [];
  return callOr("Reading the definition.", at.turns.length === 1 ? calls : [], () =>
    report({
      named,
      definitions,
      uses,
      hasMore: greps.some(({ more }) => more),
      quoted: read ? quote(pathOf(read), parseRead(read.text)) : "",
    }),
  );
};

const isDefinition = (text: string, name: string): boolean =>
  definedName(text) === name ||
  (new RegExp(
    String.raw`^\s*(?:(?:export|pub(?:\([^)]*\))?|public|static|final|private|protected)\s+)*(?:static|const|macro_rules!)?\s*(?:mut )?${escapePattern(name)}\s*(?::[^=]+)?=(?!=)`,
  ).test(text) &&
    /^\S/.test(text));

const ORDER = ["source", "config", "test", "docs", "generated"];

const order = (lines: readonly FoundLine[]): readonly FoundLine[] =>
  lines.toSorted(
    (a, b) =>
      ORDER.indexOf(kindOf(a.path)) - ORDER.indexOf(kindOf(b.path)) || Number(isOwnSource(b.path)) - Number(isOwnSource(a.path)),
  );

type Report = {
  readonly named: string;
  readonly definitions: readonly FoundLine[];
  readonly uses: readonly FoundLine[];
  readonly hasMore: boolean;
  readonly quoted: string;
};

const report = ({ named, definitions, uses, hasMore, quoted }: Report): Turn => {
  const files = [...Map.groupBy(uses, ({ path }) => path)];
  const rows = files.map(([path, lines]) => {
    // A use says more than the import above it.
    const first = lines.find(({ text }) => !/^\s*(?:import|from|use|using|export \{)\b|require\(/.test(text)) ?? lines[0];
    const others = lines
      .filter((line) => line !== first)
      .slice(0, 4)
      .map(({ line }) => line);
    return `- ${path}:${first?.line}: ${clip(first?.text ?? "", 100)}${others.length > 0 ? ` (also ${others.join(", ")}${lines.length > 5 ? `, and ${lines.length - 5} more lines` : ""})` : ""}`;
  });
  return answer(
    definitions.length > 0
      ? `${named} is defined in:\n${bullets(
          definitions.map(({ path, line, text }) => `- ${path}:${line}: ${clip(text, 120)}`),
          6,
          "definitions",
        )}`
      : `No definition of ${named} was recognised here; it may come from a dependency.`,
    quoted,
    uses.length > 0
      ? `It is used on ${hasMore ? "more than " : ""}${count(uses.length, "other line")} in ${count(files.length, "file")}:\n${bullets(rows, 10, "files")}`
      : "Nothing else here uses it by that name.",
  );
};

const missing = (named: string, near: readonly FoundLine[]): Turn =>
  near.length === 0
    ? answer(
        `Nothing here is named ${named}, and no name contains it.`,
        "Check the spelling. Hidden files and files that .gitignore excludes are not searched.",
      )
    : answer(
        `Nothing here is named just ${named}. Names that contain it:`,
        bullets(
          order(near).map(({ path, line, text }) => `- ${path}:${line}: ${clip(text, 110)}`),
          8,
          "lines",
        ),
      );
