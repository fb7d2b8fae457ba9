/** "What is this repository?": what it says of itself, its languages and folders, and how to go on. */
import { findNearest } from "../project/listing.ts";
import { parseOverview } from "../project/overview.ts";
import { toOpening } from "../project/readme.ts";
import { clip, count } from "../wording.ts";
import { leftOver } from "./asked.ts";
import type { Project } from "./look-at-project.ts";
import { bullets, lookAtProject, readOf } from "./look-at-project.ts";
import type { Rule, Turn } from "./rule.ts";
import { answer, call } from "./rule.ts";

const ABOUT =
  /\b(?:overview|summary|summari[sz]e|describe|description|introduction|introduce|tour|big picture|architecture|structured?|structure|layout|laid out|organi[sz]ed|purpose|explain|looking at|contains?|contents|walk through|get to know|problem solves?|about|repository|project|repo)\b/;
const SHAPES: readonly RegExp[] = [
  /^what(?: is|'s| are| does| do)? (?:in |inside |contained in )?(?:this|the|that|my|our|your|it|here)\b/,
  /^(?:tell|talk to|say|give|show|teach) ?(?:me|us)?\b/,
  /^(?:describe|summari[sz]e|explain|introduce|overview|summary|about|walk|architecture|structure|layout|intro|tour)\b/,
  /^how (?:is|are) (?:this|the|it|things)\b/,
  /^what (?:am i looking at|can (?:it|this) do|is (?:the )?(?:purpose|point|goal|idea|architecture|structure|layout)|problem|kind of|sort of|exactly)\b/,
  /^(?:this|the) (?:repo|repository|project)$/,
];
const SAID =
  /\b(?:do|does|done|doing|work|works|matter|matters|important|start|starts|begins?|simple|short|brief|briefly|high|level|quick|words|terms|beginner|newcomer|new|goal|point|idea|kind|sort|solve|solves|exactly|main|parts|components|pieces|stand|good)\b/;

export const aboutProject: Rule = ({ plain }) => {
  if (!SHAPES.some((shape) => shape.test(plain)) || leftOver(plain, ABOUT, SAID).length > 0) return undefined;
  // "what is in this folder?" asks for the files.
  if (/\b(?:folder|directory|files)\b/.test(plain) && !/\b(?:overview|explain|describe|summar\w+|project|repo\w*)\b/.test(plain))
    return undefined;
  return {
    agent: "researcher",
    work: (at) =>
      lookAtProject(at, {
        also: [call("overview", { depth: 1 })],
        depth: 1,
        manifestLines: 60,
        alsoThen: (listing) =>
          findNearest(listing, /^readme/i)
            .slice(0, 1)
            .map((path) => call("read", { path, limit: 60 })),
        report,
      }),
  };
};

const report = ({ listing, manifests, exchanges }: Project): Turn => {
  const [readme] = findNearest(listing, /^readme/i);
  const opening = readme === undefined ? undefined : toOpening(readOf(exchanges, readme));
  const named =
    manifests.find(({ description }) => description !== undefined) ?? manifests.find(({ name }) => name !== undefined);
  const overview = parseOverview(exchanges);
  const facts = [
    ...(named?.description
      ? [`${named.name?.text ?? ""}: ${clip(named.description.text, 300)} (${named.description.where})`]
      : []),
    ...(opening && readme !== undefined ? [`${readme}:${opening.line} says: ${clip(opening.text, 600)}`] : []),
  ];
  const folders = [...listing.folders].filter(([folder]) => !folder.includes("/")).toSorted((a, b) => b[1] - a[1]);
  const files = listing.files.filter((file) => !file.includes("/"));
  if (listing.files.length === 0 && folders.length === 0) return answer("This folder is empty: there is no file in it yet.");
  return answer(
    facts.join("\n\n") || `Nothing here says in words what it is: there is no README, and no manifest with a description.`,
    overview.languages.length > 0
      ? `Written in: ${overview.languages
          .slice(0, 4)
          .map(({ name, files: number, lines }) => `${name} (${count(number, "file")}, ${count(lines, "line")})`)
          .join(", ")}.`
      : "",
    folders.length > 0
      ? `Folders:\n${bullets(
          folders.map(([folder, number]) => `- ${folder}/ (${count(number, "file")})`),
          12,
          "folders",
        )}`
      : "",
    files.length > 0
      ? `Files at the top: ${files.slice(0, 20).join(", ")}${files.length > 20 ? `, and ${files.length - 20} more` : ""}.`
      : "",
    toEntries(manifests),
  );
};

const toEntries = (manifests: Project["manifests"]): string => {
  const entries = manifests.flatMap(({ entries: each = [] }) => each);
  return entries.length === 0
    ? ""
    : `Where it begins: ${entries
        .slice(0, 4)
        .map(({ text, where }) => `${text} (${where})`)
        .join("; ")}.`;
};
