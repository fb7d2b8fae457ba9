/** The facts that a manifest tells of a project, without those that it leaves out. */
import type { Fact, Manifest } from "./project.ts";

type Told = Pick<Manifest, "name" | "description" | "version" | "licence">;

export const toldFacts = ({
  name,
  description,
  version,
  licence,
}: { readonly [Key in keyof Told]-?: Fact | undefined }): Told => ({
  ...(name ? { name } : {}),
  ...(description ? { description } : {}),
  ...(version ? { version } : {}),
  ...(licence ? { licence } : {}),
});
