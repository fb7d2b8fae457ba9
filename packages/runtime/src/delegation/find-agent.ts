/** `find_agent`: searches the agents that a run may start, where there are more of them than its prompt has room for. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { z } from "zod";
import type { AnyTool } from "../loop/tool.ts";
import { defineTool } from "../loop/tool.ts";
import { shorten } from "./agent-catalogue.ts";
import { FIND_AGENT } from "./find-agent-tool-name.ts";
import { findByWords } from "./find-by-words.ts";

const MOST_FOUND = 10;
const DESCRIPTION_CHARS = 300;

export const createFindAgentTool = (available: readonly AgentDefinition[]): AnyTool =>
  defineTool({
    name: FIND_AGENT,
    description: `Searches all ${available.length} agents that you can delegate to, by name and description.`,
    input: z.object({ query: z.string().min(1).max(500).describe("What the agent should be good at, in a few words") }),
    effect: "read",
    execute: ({ query }) => {
      const found = findByWords(query, available, MOST_FOUND);
      if (found.length === 0) return `No agent has any of these words in its name or description. Try others, or do it yourself.`;
      return found.map(({ name, description }) => `- ${name}: ${shorten(description, DESCRIPTION_CHARS)}`).join("\n");
    },
  });
