/** Sessions by the folder that they work in: the folder at hand first, the others in the order in which they were last worked in. */
import type { SessionItem } from "../server/lists.ts";

export type SessionGroup = { readonly folder: string; readonly name: string; readonly sessions: readonly SessionItem[] };

const nameOf = (folder: string): string => folder.split(/[/\\]/).findLast((part) => part !== "") ?? folder;

/** Folders of the same name are told apart by what is above them. */
const toNames = (folders: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    folders.map((folder) => {
      const isShared = folders.some((other) => other !== folder && nameOf(other) === nameOf(folder));
      return [folder, isShared ? folder : nameOf(folder)];
    }),
  );

export const groupSessions = (sessions: readonly SessionItem[], current: string | undefined): readonly SessionGroup[] => {
  const groups = Map.groupBy(sessions, ({ workspace }) => workspace);
  const names = toNames([...groups.keys()]);
  return [...groups]
    .map(([folder, of]) => ({ folder, name: names.get(folder) ?? folder, sessions: of }))
    .toSorted((a, b) => Number(b.folder === current) - Number(a.folder === current));
};
