/** Who asks: Basic authentication against a table of users. */
const USERS = new Map([["ada", "lovelace"]]);

/** The name of the user, or undefined where nobody may be let in. */
export const authenticate = (headers) => {
  const [scheme, value = ""] = (headers.authorization ?? "").split(" ");
  if (scheme !== "Basic") return undefined;
  const [name, password] = Buffer.from(value, "base64").toString().split(":");
  return USERS.get(name) === password ? name : undefined;
};
