/** The page as users get it. The build belongs to the workspace's scripts, as the one of the published package does. */
import { fileURLToPath } from "node:url";

type Builder = { readonly buildPage: (root: string) => Promise<{ readonly folder: string }> };

export const builtPage = async (): Promise<{ readonly folder: string }> => {
  const root = fileURLToPath(new URL("../../../..", import.meta.url));
  const { buildPage } = (await import(new URL("../../../../scripts/build/build-page.ts", import.meta.url).href)) as Builder;
  return buildPage(root);
};
