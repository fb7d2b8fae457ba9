/** Tests run on what is built, so that it is built first. */
import { cpSync } from "node:fs";

cpSync(new URL("src", import.meta.url), new URL("dist", import.meta.url), { recursive: true });
