/** The names that arguments have in other tools, and ours for them: one table, by what is left of a name without case and separators. */

const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  path: [
    "filepath",
    "filename",
    "file",
    "targetfile",
    "relativepath",
    "absolutepath",
    "relativeworkspacepath",
    "directory",
    "dir",
    "folder",
    "dirpath",
  ],
  content: ["filetext", "contents", "filecontent", "filecontents", "text", "body", "newcontent", "codecontent"],
  old: ["oldstring", "oldstr", "oldtext", "search", "find", "original", "target"],
  new: ["newstring", "newstr", "newtext", "replace", "replacement", "updated"],
  all: ["replaceall", "allowmultiple", "global"],
  edits: ["changes", "replacements"],
  command: ["cmd", "commandline", "bash", "script"],
  pattern: ["query", "regex", "regexp", "search", "searchpattern", "globpattern", "q"],
  query: ["q", "pattern", "search", "searchterm"],
  url: ["uri", "link", "address", "href"],
  items: ["todos", "todolist", "tasks", "list"],
  text: ["content", "title", "description", "task", "name", "step"],
  task: ["prompt", "instructions", "instruction", "message", "goal"],
  agent: ["agentname", "agenttype", "subagent", "assistant"],
  question: ["prompt", "message", "text", "query"],
  offset: ["startline", "linestart", "fromline"],
  limit: ["maxlines", "linelimit", "numlines"],
};

export const bareName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "");

/** Whether a name that a model gave can mean the argument. */
export const canMean = (given: string, argument: string): boolean => {
  const name = bareName(given);
  return name === bareName(argument) || (OTHER_NAMES[argument]?.includes(name) ?? false);
};

/** Words for the states of a list of steps, and ours for them. */
const OTHER_STATES: Readonly<Record<string, string>> = {
  done: "completed",
  complete: "completed",
  finished: "completed",
  todo: "pending",
  open: "pending",
  notstarted: "pending",
  doing: "in_progress",
  active: "in_progress",
  started: "in_progress",
};

/** The one of the values that a word means; undefined where it means none. */
export const findValue = (word: string, values: readonly string[]): string | undefined => {
  const name = bareName(word);
  return values.find((value) => bareName(value) === name) ?? values.find((value) => value === OTHER_STATES[name]);
};
