/**
 * Decides for the proxy of a sandbox which addresses it may dial for a command: the run's grant must name the host, the address must be public
 * (or the user has allowed the host), and it is never one of this machine. What passes is the address that was judged, never the name.
 */
import { RetinueError } from "@retinue/protocol";
import type { ToolScope } from "@retinue/runtime";
import { reachesHost } from "@retinue/runtime";
import type { GuardOptions } from "./guard.ts";
import { createGuard } from "./guard.ts";
import { createHostList, toHost, toPort } from "./host-list.ts";
import { isNearAddress, isOwnAddress } from "./own-address.ts";

export type JudgeTarget = (url: URL) => Promise<readonly string[]>;

export type TargetRules = GuardOptions & {
  readonly hosts: ToolScope["hosts"];
  /** Whether a host that the user has allowed may be this machine itself, as an application under test is. */
  readonly reachesOwn?: boolean;
};

/** Throws `host_outside_grant`, `act_denied` or, where a name cannot be resolved, `tool_failed`. */
export const createTargetJudge = ({ hosts, reachesOwn = false, ...rules }: TargetRules): JudgeTarget => {
  const guard = createGuard(rules);
  const { isOwnAddress: isOwn = isOwnAddress } = rules;
  const isAllowed = createHostList(rules.allowHosts ?? []);
  return async (url) => {
    const host = `${url.hostname}:${toPort(url)}`;
    if (!reachesGranted(hosts, host))
      throw new RetinueError("host_outside_grant", `${host} is not among the hosts that this agent may reach.`);
    const { addresses } = await guard.resolve(guard.judge(url.href));
    if (reachesOwn && isAllowed(url)) return addresses;
    const others = addresses.filter((address) => !isNearAddress(address) && (isAllowed(url) || !isOwn(address)));
    if (others.length === 0)
      throw new RetinueError("act_denied", `${toHost(url)} leads to this machine itself, which commands do not reach.`, {
        hint: "The user can open a port of it by sandbox.loopback in their own settings.",
      });
    return others;
  };
};

/** One pattern of each list must name it. */
export const reachesGranted = (hosts: ToolScope["hosts"], host: string): boolean =>
  hosts.every((list) => list.some((pattern) => reachesHost(pattern, host)));
