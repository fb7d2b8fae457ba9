/** Users are kept in a JSON file. */
import { readFile } from "node:fs/promises";

export const loadUsers = async (file) => JSON.parse(await readFile(file, "utf8")).users;

export const findUser = async (file, name) => {
  const users = await loadUsers(file);
  return users.find((user) => user.name == name);
};
