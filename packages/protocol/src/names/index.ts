/** How names are matched and found again, the same way in every room. */
export { isGlob, matchesAny, matchesGlob } from "./name-glob.ts";
export { closestWord, editDistance, misspeltName, nearestName, nearestNames } from "./nearest-name.ts";
export { isSuspiciousName, toSkillName, toSlug } from "./slug.ts";
