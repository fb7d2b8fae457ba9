/** The languages whose symbols are read, by the ending of a file's name. */
import type { CodeLanguage } from "./code-language.ts";
import { bash } from "./languages/bash.ts";
import { cpp } from "./languages/cpp.ts";
import { csharp } from "./languages/csharp.ts";
import { go } from "./languages/go.ts";
import { java } from "./languages/java.ts";
import { javascript } from "./languages/javascript.ts";
import { php } from "./languages/php.ts";
import { python } from "./languages/python.ts";
import { ruby } from "./languages/ruby.ts";
import { rust } from "./languages/rust.ts";
import { tsx, typescript } from "./languages/typescript.ts";

export const CODE_LANGUAGES: readonly CodeLanguage[] = [
  typescript,
  tsx,
  javascript,
  python,
  go,
  rust,
  java,
  csharp,
  cpp,
  ruby,
  php,
  bash,
];

const BY_EXTENSION: ReadonlyMap<string, CodeLanguage> = new Map(
  CODE_LANGUAGES.flatMap((language) => language.extensions.map((extension) => [extension, language])),
);

export const languageOf = (file: string): CodeLanguage | undefined => {
  const dot = file.lastIndexOf(".");
  return dot < 0 ? undefined : BY_EXTENSION.get(file.slice(dot).toLowerCase());
};
