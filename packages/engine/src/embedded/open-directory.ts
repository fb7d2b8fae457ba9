/** The real way from a workspace to a folder of it, as the host finds it. */
import { RetinueError } from "@retinue/protocol";
import type { HostPorts } from "../contract.ts";

export const openDirectory = async (ports: HostPorts, named: string, workspace: string): Promise<string> => {
  if (!ports.openDirectory) throw new RetinueError("directory_refused", "Runs work in the whole workspace here.");
  return ports.openDirectory(named, workspace);
};
