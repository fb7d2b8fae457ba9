/**
 * What a question means that no rule reads as it is worded: a few words tell the topic, and the question is put again in words that a rule knows. Only
 * tried when no rule fits, so that a question in plain words is never put in others.
 */
import type { Asked } from "./asked.ts";

type Meaning = {
  /** All of them stand in the question. */
  readonly says: readonly RegExp[];
  /** With `PATH` in the place of the path that was named; such a meaning needs one. */
  readonly means: string;
};

const OF_A_FILE: readonly Meaning[] = [
  {
    says: [/\b(?:structure|structured|outline|sketch|skeleton|layout|organi[sz]ed|functions|methods|classes|inside|contents?)\b/],
    means: "outline of PATH",
  },
  {
    says: [
      /\b(?:who|whose|whom)\b/,
      /\b(?:person|people|behind|author\w*|maintain\w*|own\w*|responsible|wrote|written|expert|knows|ask)\b/,
    ],
    means: "who changed PATH",
  },
  {
    says: [/\b(?:affect\w*|impact\w*|touch\w*|import\w*|depend\w*|break\w*|rely|relies|require[sd]?)\b/],
    means: "which files mention `STEM`",
  },
];

const OF_THE_PROJECT: readonly Meaning[] = [
  { says: [/\b(?:licen[sc]\w*|closed.source|commercial\w*|proprietary)\b/], means: "which license is it under?" },
  { says: [/\b(?:todos?|fixmes?)\b/], means: "any TODOs?" },
  { says: [/\btest(?:s|ed|ing)?\b/, /\b(?:run|runs|running|command|execute|suite|how)\b/], means: "how do I run the tests?" },
  {
    says: [
      /\b(?:contribut\w*|newcomer|beginner|new here|onboard\w*|read first|start reading|look at first|first steps|entry point)\b/,
    ],
    means: "where should I start reading?",
  },
  {
    says: [
      /\b(?:cloned?|set ?up|setup|installed?|install\w*|get(?:ting)? (?:it |this )?(?:running|started)|from source|on my (?:laptop|machine|computer))\b/,
    ],
    means: "how do I install and build it?",
  },
  { says: [/\b(?:build|builds|built|compile\w*)\b/], means: "how do I build it?" },
  {
    says: [
      /\b(?:lately|recent\w*|new|news|activity|active|happen\w*|going on|last (?:few |couple of )?(?:days|weeks?|months?|commits?))\b/,
    ],
    means: "show the last commits",
  },
  { says: [/\b(?:largest|biggest|longest|huge)\b/], means: "largest files" },
  { says: [/\b(?:env(?:ironment)?)\b/, /\b(?:vars?|variables?)\b/], means: "which environment variables are used?" },
  { says: [/\bdependenc\w+|\bdepends? on\b/], means: "which dependencies does it have?" },
];

/** Undefined where no topic is told, or where other things are named that could be searched for. */
export const toMeant = ({ plain, path, terms }: Asked): string | undefined => {
  const fits = ({ says }: Meaning): boolean => says.every((pattern) => pattern.test(plain));
  if (path !== undefined) {
    const stem = (path.split("/").at(-1) ?? path).replace(/\.\w+$/, "");
    return OF_A_FILE.find(fits)?.means.replace("PATH", path).replace("STEM", stem);
  }
  const isNamed = terms.some(
    ({ kind, text }) => kind === "quoted" || (kind === "identifier" && !/^(?:todo|fixme)s?$/i.test(text)),
  );
  return isNamed ? undefined : OF_THE_PROJECT.find(fits)?.means;
};
