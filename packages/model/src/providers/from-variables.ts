/** Values of settings in which `{env:NAME}` stands for a variable of the environment; one that is not set is empty. */

type Env = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\{env:([A-Za-z_]\w*)\}/g;

export const fromVariables = (values: Readonly<Record<string, string>> | undefined, env: Env): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => [
      name,
      value.replace(VARIABLE, (_, variable: string) => env[variable] ?? ""),
    ]),
  );
