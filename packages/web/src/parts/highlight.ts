/** The highlighter, as a tree of scopes and texts: no HTML is made of code, either. Loaded on demand. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const LANGUAGES = { bash, css, diff, go, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml };

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** A text, or what it is as code. */
export type Scope = string | { readonly scope: string; readonly children: readonly Scope[] };

/** The shape of the highlighter's own tree. */
type EmittedNode = string | { readonly scope?: string; readonly language?: string; readonly children: readonly EmittedNode[] };

const toScope = (node: EmittedNode): readonly Scope[] => {
  if (typeof node === "string") return [node];
  const children = node.children.flatMap(toScope);
  const scope = node.scope?.split(".")[0];
  return scope === undefined || !/^[\w-]+$/.test(scope) ? children : [{ scope, children }];
};

export const highlight = (code: string, language: string): readonly Scope[] => {
  if (hljs.getLanguage(language) === undefined) return [code];
  const { _emitter: emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
  // The tree is what its HTML is made from; the types of the highlighter leave it out.
  return toScope((emitter as unknown as { readonly root: EmittedNode }).root);
};

/** The language of a file, by the end of its name. */
export const languageOf = (path: string): string => {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  return hljs.getLanguage(ending) === undefined ? "" : ending;
};
