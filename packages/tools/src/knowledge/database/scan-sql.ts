/** Takes SQL apart into what the judge looks at. Texts, numbers and comments are known for what they are, so that nothing hides in them. */

export type SqlDialect = "sqlite" | "postgres";

export type SqlToken =
  | { readonly type: "word"; readonly text: string }
  /** A name in quotes, without them. */
  | { readonly type: "name"; readonly text: string }
  | { readonly type: "text" }
  | { readonly type: "sign"; readonly text: string };

/** Undefined where a text, name or comment is not ended. */
export const scanSql = (sql: string, dialect: SqlDialect): readonly SqlToken[] | undefined => {
  const tokens: SqlToken[] = [];
  let at = 0;
  while (at < sql.length) {
    const token = readToken(sql, at, dialect);
    if (token === undefined) return undefined;
    if (token.token !== undefined) tokens.push(token.token);
    at = token.end;
  }
  return tokens;
};

type Read = { readonly end: number; readonly token?: SqlToken };

const BLANK = /\s+/y;
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const NUMBER = /\d[\w.]*/y;
const DOLLAR = /\$([\p{L}_][\p{L}\p{N}_]*)?\$/uy;

const readToken = (sql: string, at: number, dialect: SqlDialect): Read | undefined => {
  const isPostgres = dialect === "postgres";
  const blank = matchAt(BLANK, sql, at);
  if (blank !== undefined) return { end: at + blank.length };
  if (sql.startsWith("--", at)) {
    // For PostgreSQL a carriage return ends it as well.
    const length = sql.slice(at).search(isPostgres ? /[\r\n]/ : /\n/);
    return { end: length < 0 ? sql.length : at + length + 1 };
  }
  if (sql.startsWith("/*", at)) return readComment(sql, at, isPostgres);
  const sign = sql[at] ?? "";
  if (sign === "'") return readQuoted(sql, at, { quote: "'", escapes: false, token: () => ({ type: "text" }) });
  if (sign === '"' || (!isPostgres && sign === "`"))
    return readQuoted(sql, at, { quote: sign, escapes: false, token: (text) => ({ type: "name", text }) });
  if (!isPostgres && sign === "[") {
    const end = sql.indexOf("]", at);
    return end < 0 ? undefined : { end: end + 1, token: { type: "name", text: sql.slice(at + 1, end) } };
  }
  if (isPostgres && /[eE]/.test(sign) && sql[at + 1] === "'")
    return readQuoted(sql, at + 1, { quote: "'", escapes: true, token: () => ({ type: "text" }) });
  const dollar = isPostgres ? matchAt(DOLLAR, sql, at) : undefined;
  if (dollar !== undefined) {
    const end = sql.indexOf(dollar, at + dollar.length);
    return end < 0 ? undefined : { end: end + dollar.length, token: { type: "text" } };
  }
  const word = matchAt(WORD, sql, at);
  if (word !== undefined) return { end: at + word.length, token: { type: "word", text: word.toLowerCase() } };
  const number = matchAt(NUMBER, sql, at);
  return number === undefined ? { end: at + 1, token: { type: "sign", text: sign } } : { end: at + number.length };
};

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

/** Comments of PostgreSQL stand in one another. */
const readComment = (sql: string, at: number, nested: boolean): Read | undefined => {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = at + 2;
  let depth = 1;
  for (let found = mark.exec(sql); found !== null; found = mark.exec(sql)) {
    if (found[0] === "*/") depth -= 1;
    else if (nested) depth += 1;
    if (depth === 0) return { end: found.index + 2 };
  }
  // SQLite lets a comment end with the text.
  return nested ? undefined : { end: sql.length };
};

type Quoting = { readonly quote: string; readonly escapes: boolean; readonly token: (text: string) => SqlToken };

const readQuoted = (sql: string, at: number, { quote, escapes, token }: Quoting): Read | undefined => {
  let text = "";
  for (let next = at + 1; next < sql.length; next += 1) {
    const character = sql[next] ?? "";
    if (escapes && character === "\\") next += 1;
    else if (character !== quote) text += character;
    else if (sql[next + 1] === quote) {
      text += quote;
      next += 1;
    } else return { end: next + 1, token: token(text) };
  }
  return undefined;
};
