/**
 * Texts in the languages of programs that stand in a line: scripts of sed, programs of awk, code of interpreters. A text is plain where everything in it
 * is known to start no program. What is not known is not plain.
 */

const SED_ADDRESS = /(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n]|\\.)*\/I?)(?:,(?:[+~]?\d+|\$|\/(?:[^/\\\n]|\\.)*\/I?))?\s*!?\s*/y;
const SED_SUBSTITUTION = /s([/|,#@:!+%~])(?:(?!\1)[^\\\n]|\\[^])*?\1(?:(?!\1)[^\\]|\\[^])*?\1[gpiIm\d]*/y;
const SED_TRANSLATION = /y([/|,#@:])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1/y;
const SED_TEXT = /[aic](?:\\?\n|\\| )?[^\n]*/y;
const SED_LABEL = /[btT:]\s*[\w.-]*/y;
const SED_PLAIN = /(?:[=dDgGhHnNpPxz{}F]|[qQlL]\s*\d*)/y;

/** Neither runs commands (`e`) nor writes files (`w`). */
export const isPlainSed = (script: string): boolean => {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(script);
    at += found?.[0].length ?? 0;
    return found !== null;
  };
  while (at < script.length) {
    if (take(/[\s;]+|#[^\n]*/y)) continue;
    take(SED_ADDRESS);
    if (![SED_SUBSTITUTION, SED_TRANSLATION, SED_TEXT, SED_LABEL, SED_PLAIN].some(take)) return false;
    if (at < script.length && !take(/(?=[\s;}#])/y) && !/[{}]/.test(script[at - 1] ?? "")) return false;
  }
  return true;
};

const STRING = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/g;
/** Strings, comments, and regular expressions, which begin only where no value stands before the slash. */
const AWK_TEXT = /"(?:[^"\\\n]|\\[^])*"|#[^\n]*|(?<=(?:^|[({},;!~&|=\n])\s*)\/(?:[^/\\\n]|\\.)+\//g;

/** Starts no command, and reads the output of none. */
export const isPlainAwk = (program: string): boolean => {
  const bare = program.replaceAll(AWK_TEXT, " ").replaceAll("||", " ");
  return !/[|@"]|\bsystem\b/.test(bare);
};

const words = (text: string): readonly string[] => text.split(" ");

/** Of languages: what shapes, reads and prints data. Anything else may start a program by some way. */
const PYTHON = new Set(
  words(
    "import from as print len str int float bool list dict set tuple sorted reversed sum min max abs round range enumerate zip map filter any all isinstance repr open " +
      "for in if else elif not and or is None True False lambda with while break continue pass def return assert try except raise " +
      "json sys re math datetime time collections itertools functools string textwrap csv base64 hashlib urllib parse platform statistics decimal random uuid " +
      "load loads dump dumps stdin stdout stderr argv version version_info read readline readlines write writelines close split rsplit splitlines join strip lstrip rstrip replace " +
      "startswith endswith upper lower title format find count index get keys values items append extend insert sort update pop copy encode decode hex " +
      "findall finditer match search sub group groups compile sqrt pi floor ceil log now today isoformat strftime strptime utcnow timestamp timedelta date " +
      "Counter defaultdict OrderedDict most_common b64encode b64decode md5 sha1 sha256 hexdigest quote unquote urlencode urlparse indent sort_keys ensure_ascii key reverse sep end file default " +
      "Exception ValueError KeyError DictReader DictWriter reader writer python_version system_name sleep perf_counter mean median stdev uuid4 f r b e",
  ),
);
const SCRIPT = new Set(
  words(
    "const let var if else for of in while break continue return function new typeof null undefined true false async await console log error table process argv version versions " +
      "platform arch cwd stdout write JSON parse stringify Object keys values entries fromEntries assign Array from isArray Math max min floor ceil round abs random sqrt pow Number String Boolean " +
      "Date now toISOString getTime Set Map RegExp map filter reduce forEach find some every includes indexOf join split slice splice concat sort reverse flat flatMap push pop shift unshift length trim " +
      "replace replaceAll match matchAll test startsWith endsWith toLowerCase toUpperCase padStart padEnd repeat toFixed toString parseInt parseFloat isNaN isInteger Promise all then name dependencies devDependencies scripts " +
      "size has get set add delete code message engines main type exports i n x",
  ),
);
const PERL = new Set(
  words(
    "print printf say if unless else for foreach my our length uc lc ucfirst lcfirst join split sort reverse keys values push pop shift scalar defined chomp chop substr index sprintf next last BEGIN END STDIN STDERR and or not eq ne lt gt le ge x",
  ),
);

/** `s/a/b/g`, without code in it. */
const PERL_SUBSTITUTION = /^\s*(?:s|tr|y)([/|,#!])(?:(?!\1)[^\\]|\\[^])*\1(?:(?!\1)[^\\]|\\[^])*\1[gimsxr]*\s*;?\s*$/;

export type Language = "python" | "script" | "perl" | "other";

/** A word is known, a member that is one, or a name that the text itself gives to a value. */
export const isPlainCode = (language: Language, code: string): boolean => {
  if (language === "other") return false;
  if (language === "perl" && PERL_SUBSTITUTION.test(code)) return !/\(\?+\{|[@$%&]\{|\$\(/.test(code);
  const withoutManifests = language === "script" ? code.replaceAll(/\brequire\((["'])\.{0,2}[\w./-]*\.json\1\)/g, "0") : code;
  // Texts in which code can stand, and ways to call what a text names.
  if (/`|\bf["']|\]\s*\(|\)\s*\(|\\u|\\x|\$\{|<<|[qm]\(|process\s*\[|\[[^\]]*\+|constructor|__/.test(withoutManifests))
    return false;
  const bare = withoutManifests.replaceAll(STRING, "''");
  if (/["\\]|'(?!')/.test(bare.replaceAll("''", ""))) return false;
  const known = language === "python" ? PYTHON : language === "script" ? SCRIPT : PERL;
  const given = new Set(
    [
      ...bare.matchAll(
        /([A-Za-z_]\w*)\s*=(?![=>])|\b(?:for|as|const|let|var|my)\s+[$@%]?([A-Za-z_]\w*)|\(?([A-Za-z_]\w*)\)?\s*=>|\blambda\s+([A-Za-z_]\w*)/g,
      ),
    ].flatMap(([, ...names]) => names.filter((name) => name !== undefined)),
  );
  return [...bare.matchAll(/([A-Za-z_]\w*)(\s*\()?/g)].every(([, name = "", call]) =>
    call === undefined ? known.has(name) || given.has(name) : known.has(name) && !given.has(name),
  );
};
