/** Puts variables where `${name}` stands. A text that is nothing but one keeps its kind: a number stays a number. */
export type Variables = Readonly<Record<string, string | number | boolean>>;

export type Unfilled = { readonly path: readonly PropertyKey[]; readonly name: string };

const REFERENCE = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_.-]*)\}/g;
const ONLY = /^\$\{([A-Za-z_][A-Za-z0-9_.-]*)\}$/;

export const fillVariables = (
  value: unknown,
  variables: Variables,
): { readonly value: unknown; readonly unfilled: readonly Unfilled[] } => {
  const unfilled: Unfilled[] = [];
  const known = (name: string): boolean => Object.hasOwn(variables, name);
  const fill = (one: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof one === "string") {
      const [, only] = ONLY.exec(one) ?? [];
      if (only !== undefined && known(only)) return variables[only];
      return one.replaceAll(REFERENCE, (whole, escaped: string, name: string) => {
        if (escaped === "$") return whole.slice(1);
        if (known(name)) return String(variables[name]);
        unfilled.push({ path, name });
        return whole;
      });
    }
    if (Array.isArray(one)) return one.map((each, index) => fill(each, [...path, index]));
    if (typeof one === "object" && one !== null)
      return Object.fromEntries(Object.entries(one).map(([key, each]) => [key, fill(each, [...path, key])]));
    return one;
  };
  return { value: fill(value, []), unfilled };
};
