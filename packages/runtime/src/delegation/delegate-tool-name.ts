/** The tool by which a run hands a task to another agent. */
export const DELEGATE = "delegate_to_agent";
