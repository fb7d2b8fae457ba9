/** The API as a function from a request to a response. */
import { authenticate } from "./auth.js";

const NOTES = new Map([["ada", ["The engine weaves algebraic patterns."]]]);

export const handle = ({ method, path, headers = {} }) => {
  const user = authenticate(headers);
  if (user === undefined) return { status: 401 };
  if (method === "GET" && path === "/notes") return { status: 200, body: NOTES.get(user) ?? [] };
  return { status: 404 };
};
