/** When two delegations are the same: one agent, one task, whatever their spaces and case. */
export const delegationKey = (agent: string, task: string): string =>
  `${agent}\0${task.replaceAll(/\s+/g, " ").trim().toLowerCase()}`;
