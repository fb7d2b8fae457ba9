/** `node src/cli.js users.json ada` prints a user. */
import { findUser } from "./users.js";

const [file, name] = process.argv.slice(2);
console.log(JSON.stringify(await findUser(file, name)));
