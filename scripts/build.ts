/** `npm run build`: makes `packages/retinue/dist`, the package that is published. The sources need no build. */
import path from "node:path";
import { buildPackage } from "./build/build-package.ts";

const root = path.dirname(import.meta.dirname);
const folder = path.join(root, "packages/retinue/dist");
const { code, bytes } = await buildPackage({ root, folder });
console.log(`${path.relative(root, folder)}: ${code.length} files of code, ${Math.round(bytes / 1024)} KB`);
