/** The plain strings of a TOML file by section and key; all that is needed of a manifest, and no parser of the whole language. */

/** Keys are `section.key`; a section in double brackets gives `section[].key`, which may occur more than once. */
export type TomlString = { readonly key: string; readonly value: string };

export const readTomlStrings = (text: string): readonly TomlString[] => {
  const found: TomlString[] = [];
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    const [, list, single] = /^\s*(?:\[\[\s*([^\]]+?)\s*\]\]|\[\s*([^\]]+?)\s*\])\s*(?:#.*)?$/.exec(line) ?? [];
    if (list !== undefined || single !== undefined) {
      section = list === undefined ? `${single}.` : `${list}[].`;
      continue;
    }
    const [, key, double, plain] = /^\s*"?([\w.-]+)"?\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*(?:#.*)?$/.exec(line) ?? [];
    if (key !== undefined) found.push({ key: section + key, value: double ?? plain ?? "" });
  }
  return found;
};
