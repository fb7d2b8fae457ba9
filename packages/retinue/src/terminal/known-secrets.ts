/** The secrets of the environment: the values of all variables whose names say so, in every way they may be spelled. */

const SECRET_NAME = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Shorter ones are words as well as secrets; replacing them would tear holes into every text. */
const SHORTEST = 8;

const isPath = (value: string): boolean => /^(?:[~.]?\/|[A-Za-z]:\\)/.test(value);

export const knownSecrets = (env: NodeJS.ProcessEnv): readonly string[] => {
  const secrets = new Set<string>();
  for (const [name, value = ""] of Object.entries(env)) {
    const secret = value.trim();
    if (!SECRET_NAME.test(name) || secret.length < SHORTEST || isPath(secret)) continue;
    secrets.add(secret);
    // As they stand in a URL and inside JSON.
    secrets.add(encodeURIComponent(secret.toWellFormed()));
    secrets.add(JSON.stringify(secret).slice(1, -1));
  }
  return [...secrets];
};
