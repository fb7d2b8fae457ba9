/** What a model can do, tried by small requests: one call of a tool, one image where it is known to read them, and whether it thinks before it answers. */
import type { Model, ModelAnswer, ModelRequest } from "@retinue/model/contract";

/** `repaired`: it called the tool in a form that had to be mended. `unknown`: it was not asked. */
export type Ability = "yes" | "repaired" | "no" | "unknown";

export type Abilities = { readonly tools: Ability; readonly images: Ability; readonly thinking: Ability };

const TOOL = {
  name: "add",
  description: "Adds two whole numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "integer" } },
    required: ["a", "b"],
    additionalProperties: false,
  },
} as const;

/** A red square of 8 × 8 points. */
const RED = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mP4z8CAFTEMLQkAKP8/wc53yE8AAAAASUVORK5CYII=";

const request = (fields: Partial<ModelRequest> & { readonly text: string }): ModelRequest => {
  const { text, messages = [{ role: "user", content: [{ type: "text", text }] }], ...rest } = fields;
  return {
    system: "Do exactly what you are asked, and nothing else.",
    tools: [],
    toolChoice: "auto",
    maxOutputTokens: 512,
    ...rest,
    messages,
  };
};

const CALL = request({ text: "Call the tool add with a = 2 and b = 3.", tools: [TOOL] });
const LOOK = request({
  text: "",
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "Which colour is this? Answer with one word." },
        { type: "image", mediaType: "image/png", data: RED },
      ],
    },
  ],
});

const askOnce = async (model: Model, asked: ModelRequest, signal: AbortSignal): Promise<ModelAnswer | undefined> => {
  try {
    for await (const chunk of model.stream(asked, signal)) if (chunk.type === "answer") return chunk;
  } catch {
    // A refusal is an answer to what is asked here.
  }
  return undefined;
};

/** `first` is what it has answered already. */
export const tryAbilities = async (model: Model, first: ModelAnswer, signal: AbortSignal): Promise<Abilities> => {
  const called = await askOnce(model, CALL, signal);
  const looked = model.readsImages === true ? await askOnce(model, LOOK, signal) : undefined;
  const answers = [first, called, looked].filter((answer) => answer !== undefined);
  const hasThought = answers.some(
    ({ content, usage }) => usage.reasoning > 0 || content.some(({ type }) => type === "reasoning"),
  );
  return {
    tools: toToolAbility(called),
    images: model.readsImages === true ? (looked === undefined ? "no" : "yes") : "unknown",
    thinking: hasThought ? "yes" : "no",
  };
};

const toToolAbility = (answer: ModelAnswer | undefined): Ability => {
  const call = answer?.content.find((part) => part.type === "tool-call");
  if (call?.type !== "tool-call" || call.tool !== TOOL.name) return "no";
  try {
    const given = JSON.parse(call.arguments) as { readonly a?: unknown; readonly b?: unknown } | null; // Looked at below.
    if (given?.a !== 2 || given.b !== 3) return "no";
  } catch {
    return "no";
  }
  return call.repaired === undefined ? "yes" : "repaired";
};
