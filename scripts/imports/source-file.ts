/** What a path says about a source file: whether it is a test, and whether its name keeps the house's rules. */
const DRAWERS = new Set(["util", "utils", "helper", "helpers", "common", "misc", "type", "types"]);
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Tests, and the fakes and contract suites of `testing/` folders. */
export const isTestFile = (file: string): boolean => /\.test\.[a-z]+$/.test(file) || file.split("/").includes("testing");

/** What is wrong with the name of a source file, given its path inside the repository; `undefined` when nothing is. */
export const nameProblem = (file: string): string | undefined => {
  const segments = file.split("/");
  const parts = (segments.pop() ?? "").split(".").slice(0, -1);
  const misnamed = [...segments, ...parts].find((part) => !KEBAB_CASE.test(part));
  if (misnamed !== undefined) return `"${misnamed}" is not kebab-case`;
  const drawer = [...segments, parts[0] ?? ""].find((part) => DRAWERS.has(part));
  return drawer === undefined ? undefined : `"${drawer}" is a drawer; name the thing that is in it`;
};
