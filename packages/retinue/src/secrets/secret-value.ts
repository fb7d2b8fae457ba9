/**
 * Tells by a name and by the look of a value which secrets it holds, wherever it was found: a variable, a setting, a line of a file. A name alone
 * makes no secret: `POSTGRES_PASSWORD=postgres` is a word that stands in many texts.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isRandom, isWord } from "./guessable.ts";
import type { Secret } from "./secret.ts";

/** Short words must stand alone. Numbers and the usual words for a stage may follow. */
const SECRET_NAME =
  /(?:API[_-]?KEY|(?:ACCESS|PRIVATE|SIGNING|ENCRYPTION|ACCOUNT|MASTER)[_-]?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIE|AUTHORIZATION|(?:^|[_.-])(?:KEY|PASS|PWD|AUTH|PAT))(?:[_-]?(?:\d{1,4}|PROD(?:UCTION)?|DEV|STAGING|TEST|LIVE|OLD|NEW|BACKUP|PRIMARY|SECONDARY))*$/i;

/** What providers begin their keys with, so that they can be told from anything else. */
const SECRET_VALUE =
  /^(?:sk-|pk-|rk_|gsk_|xai-|hf_|AIza|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|ASIA|ya29\.|npm_|pypi-|dckr_pat_|SG\.|-----BEGIN [A-Z ]*PRIVATE KEY-----|eyJ[\w-]+\.eyJ)/;

/** Shorter ones are words as well as secrets; replacing them would tear holes into every text. */
const SHORTEST = 8;
/** Of a value whose name says that it is a secret. */
const SHORTEST_NAMED = 6;

/** Longer values of a name are files rather than keys; what is looked for in them stands at their beginning. */
const MOST_CHARS = 16 * 1024;

/** A file that holds a key is no key; a key may well begin like a path. */
const isPath = (value: string): boolean =>
  /^(?:[~.]?\/|[A-Za-z]:\\)/.test(value) && !value.includes("\0") && existsSync(value.replace(/^~(?=\/)/, homedir()));

/** The secrets that a named value holds: itself, or those inside an address or a connection string. */
export const secretsOfValue = (name: string, given: string): readonly Secret[] => {
  const value = given.slice(0, MOST_CHARS).trim();
  const parts = [...partsOfAddress(name, value), ...partsOfConnection(value)];
  const isNamed = SECRET_NAME.test(name.slice(-100)) && parts.length === 0 && !isPath(value);
  const whole = SECRET_VALUE.test(value) || isNamed ? [toCredentials(value)] : [];
  const shortest = isNamed || parts.length > 0 ? SHORTEST_NAMED : SHORTEST;
  const found = [...whole, ...parts].filter(
    (secret) => secret.length >= shortest && (SECRET_VALUE.test(secret) || isRandom(secret) || !isWord(secret)),
  );
  return [...new Set(found)].map((secret) => ({ name, value: secret }));
};

/** `Bearer abc` hides `abc`. */
const toCredentials = (value: string): string => /^(?:bearer|basic|token|apikey)\s+(\S.*)$/i.exec(value)?.[1] ?? value;

/** `Server=db;User Id=sa;Password=…;AccountKey=…`, and `host=db password=…`. */
const partsOfConnection = (value: string): readonly string[] => {
  const fields = value.split(/[;\s]+/);
  if (fields.length < 2) return [];
  return fields.flatMap((field) => {
    const at = field.indexOf("=");
    const isSecret = at > 0 && /^(?:password|pwd|accountkey|sharedaccesskey|sharedsecret|authtoken)$/i.test(field.slice(0, at));
    return isSecret ? [field.slice(at + 1).replace(/^["']|["']$/g, "")] : [];
  });
};

/** Places of which whoever knows the address may write there. */
const WEBHOOK =
  /hooks\.slack\.com|discord(?:app)?\.com\/api\/webhooks|webhook\.office\.com|api\.telegram\.org\/bot|hooks\.zapier\.com/i;

/** The password of an address, a key in the place of its user, secrets among its parameters, and the random end of a webhook. */
const partsOfAddress = (name: string, value: string): readonly string[] => {
  // As some databases are named: user:password@tcp(host:3306)/name, or without a scheme.
  const [, bare] = /^[^\s:@/]{1,200}:([^\s@/][^\s@]{0,200})@(?:[a-z]{1,10}\(|[\w.-]{1,200}(?::\d+)?(?:\/|$))/i.exec(value) ?? [];
  if (bare !== undefined) return [bare];
  if (!/^[a-z][a-z\d+.-]{0,30}:\/\//i.test(value) || !URL.canParse(value)) return [];
  const { username, password, searchParams, pathname } = new URL(value);
  const parameters = [...searchParams].filter(([key]) => SECRET_NAME.test(key) || /^(?:sig|signature|code)$/i.test(key));
  const isWebhook = WEBHOOK.test(value) || /WEBHOOK/i.test(name);
  return [
    ...(password === "" ? [] : [decode(password)]),
    ...(password === "" && isRandom(decode(username)) ? [decode(username)] : []),
    ...parameters.map(([, parameter]) => parameter),
    ...(isWebhook ? pathname.split("/").map(decode).filter(isRandom) : []),
  ];
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
