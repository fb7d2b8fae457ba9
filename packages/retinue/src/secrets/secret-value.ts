/** Tells by a name or by the look of a value whether it is a secret, wherever it was found: a variable, a setting, a line of a file. */

/** Short words must stand alone. */
const SECRET_NAME =
  /(?:API[_-]?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIE|AUTHORIZATION|(?:^|[_.-])(?:KEY|PASS|PWD|AUTH|PAT))$/i;

/** What providers begin their keys with, so that they can be told from anything else. */
const SECRET_VALUE =
  /^(?:sk-|pk-|rk_|gsk_|xai-|hf_|AIza|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|ASIA|ya29\.|npm_|pypi-|dckr_pat_|SG\.|-----BEGIN [A-Z ]*PRIVATE KEY-----|eyJ[\w-]+\.eyJ)/;

/** Shorter ones are words as well as secrets; replacing them would tear holes into every text. */
const SHORTEST = 8;

const isPath = (value: string): boolean => /^(?:[~.]?\/|[A-Za-z]:\\)/.test(value);

/** The secrets that a named value holds: itself, or the password of an address. */
export const secretsOfValue = (name: string, given: string): readonly string[] => {
  const value = given.trim();
  const password = passwordOf(value);
  const isSecret = (SECRET_NAME.test(name) || SECRET_VALUE.test(value)) && !isPath(value) && password === undefined;
  return [...(isSecret ? toCredentials(value) : []), ...(password === undefined ? [] : [password])].filter(
    (secret) => secret.length >= SHORTEST,
  );
};

/** `Bearer abc` hides `abc`. */
const toCredentials = (value: string): readonly string[] => {
  const [, credentials] = /^(?:bearer|basic|token|apikey)\s+(\S.*)$/i.exec(value) ?? [];
  return credentials === undefined ? [value] : [credentials];
};

const passwordOf = (value: string): string | undefined => {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/]*@/i.test(value) || !URL.canParse(value)) return undefined;
  const { password } = new URL(value);
  try {
    return password === "" ? undefined : decodeURIComponent(password);
  } catch {
    return password;
  }
};
