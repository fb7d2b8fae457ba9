/** The tool that finds agents by words where there are too many to be listed. */
export const FIND_AGENT = "find_agent";
