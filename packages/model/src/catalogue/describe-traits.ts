/** What is known of a model, in words for people. */
import type { CatalogueEntry } from "./catalogue-entry.ts";
import type { ModelTraits } from "./model-traits.ts";

export const describeTraits = ({
  traits,
  contextWindow,
  isListed,
}: Pick<CatalogueEntry, "traits" | "contextWindow" | "isListed">): string =>
  [
    ...(isListed ? [] : ["not in the catalogue, so asked in the safest form"]),
    ...(contextWindow === null ? [] : [`context ${contextWindow}`]),
    ...(traits.outputTokens === undefined ? [] : [`output ${traits.outputTokens}`]),
    ...(traits.images === undefined ? [] : [traits.images ? "reads images" : "no images"]),
    ...(isListed ? [describeThinking(traits)] : []),
    ...(traits.temperature === false ? ["no temperature"] : []),
  ].join(", ");

const describeThinking = ({ thinking }: ModelTraits): string => {
  if (thinking === undefined) return "no thinking";
  const how = thinking.type === "budget" ? "by tokens" : (thinking.levels ?? []).join(" ") || "as it likes";
  return `thinking ${how}${thinking.forced === true ? ", never off" : ""}`;
};
