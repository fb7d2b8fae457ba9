/** What Gemini's `streamGenerateContent` refuses, rule by rule. */
import type { JsonObject } from "@retinue/protocol";
import { GEMINI_SUBSET } from "./schema-rules.ts";
import { firstComplaint, isObject, listOf, onlyFields, stringOf } from "./strict-rule.ts";
import type { StrictRule } from "./strict-rule.ts";

const contentsOf = (body: JsonObject): readonly JsonObject[] => listOf(body["contents"]);

const partsOf = (content: JsonObject | undefined): readonly JsonObject[] => listOf(content?.["parts"]);

const declarationsOf = (body: JsonObject): readonly JsonObject[] =>
  listOf(body["tools"]).flatMap((tool) => listOf(tool["functionDeclarations"]));

const countOf = (content: JsonObject | undefined, field: string): number =>
  partsOf(content).filter((part) => part[field] !== undefined).length;

export const GEMINI_RULES: readonly StrictRule[] = [
  onlyFields(
    "https://ai.google.dev/api/generate-content",
    "contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent serviceTier store labels",
    (field) => `Invalid JSON payload received. Unknown name "${field}": Cannot find field.`,
  ),
  {
    name: "contents with parts, of user and model",
    source: "https://ai.google.dev/api/caching#Content",
    refuse: (body) => {
      if (contentsOf(body).length === 0) return "* GenerateContentRequest.contents: contents is not specified";
      return firstComplaint(contentsOf(body), (content) => {
        if (content["role"] !== "user" && content["role"] !== "model") return "Please use a valid role: user, model.";
        return partsOf(content).length === 0
          ? "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty."
          : undefined;
      });
    },
  },
  {
    name: "as many results as calls",
    source: "https://github.com/google-gemini/gemini-cli/issues/4217",
    refuse: (body) => {
      const contents = contentsOf(body);
      return contents.some((content, at) => {
        const calls = countOf(content, "functionCall");
        const results = countOf(content, "functionResponse");
        return (
          (calls > 0 && at + 1 < contents.length && countOf(contents[at + 1], "functionResponse") !== calls) ||
          (results > 0 && countOf(contents[at - 1], "functionCall") !== results)
        );
      })
        ? "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
        : undefined;
    },
  },
  {
    name: "the signature of a thought comes back with its call",
    source: "https://ai.google.dev/gemini-api/docs/thought-signatures, https://github.com/nanbingxyz/5ire/issues/405",
    refuse: (body) => {
      const contents = contentsOf(body);
      // Those of the turn under way: since the last thing that the user said.
      const asked = contents.findLastIndex((content) => content["role"] === "user" && countOf(content, "functionResponse") === 0);
      return contents.some((content, at) => {
        const [first] = partsOf(content).filter((part) => part["functionCall"] !== undefined);
        return at > asked && first !== undefined && typeof first["thoughtSignature"] !== "string";
      })
        ? "Function call is missing a thought_signature in functionCall parts."
        : undefined;
    },
  },
  {
    name: "names of functions",
    source: "https://ai.google.dev/api/caching#FunctionDeclaration",
    refuse: (body) =>
      firstComplaint(declarationsOf(body), ({ name }) =>
        /^[a-z_][\w.:-]{0,127}$/i.test(stringOf(name))
          ? undefined
          : "Invalid function name. Must start with a letter or an underscore.",
      ),
  },
  {
    name: GEMINI_SUBSET.name,
    source: GEMINI_SUBSET.source,
    refuse: (body) =>
      firstComplaint(declarationsOf(body), ({ name, parameters }) =>
        isObject(parameters) ? GEMINI_SUBSET.refuse(parameters, stringOf(name)) : undefined,
      ),
  },
];
