/** The commands of the prompt, as lists show them. */
export const PROMPT_COMMANDS = [
  { name: "/model", description: "shows the model, or changes it from the next turn on", argument: "name" },
  { name: "/new", description: "starts a new session" },
  { name: "/sessions", description: "lists the sessions of this folder" },
  { name: "/resume", description: "goes on with one of them", argument: "id" },
  { name: "/fork", description: "leaves this session at an event, with the next turn", argument: "event" },
  { name: "/cost", description: "shows what this session has cost" },
  { name: "/help", description: "shows what can be said" },
] as const;
