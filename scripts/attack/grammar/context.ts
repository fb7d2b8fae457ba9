/** Names that become a context: a delegation that hands over files, of which some are links, pipes, or called like what is kept elsewhere. */
import type { AttackCall } from "./draw-call.ts";
import { drawOutside, drawProtected } from "./paths.ts";
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";
import type { Terrain } from "./terrain.ts";

const NAMES = ["artifact:art_k", "plan.md", "src/notes.md", "AGENTS.md"];

/** Puts something under a name. */
export const drawContextPlant = (random: Random, terrain: Terrain): string => {
  const name = pick(random, NAMES);
  const to = random() < 0.7 ? drawOutside(random, terrain) : `${terrain.workspace}/${drawProtected(random)}`;
  const plant = pick(random, [
    `ln -sfn '${to}' '${name}'`,
    `ln -sfn '${to}' '${name}'`,
    `ln -f '${to}' '${name}'`,
    `ln -sfn '${to.slice(0, to.lastIndexOf("/"))}' folder; ln -sfn 'folder/${to.slice(to.lastIndexOf("/") + 1)}' '${name}'`,
    `rm -f '${name}'; mkfifo '${name}'`,
    `truncate -s 400M '${name}'`,
    `printf '@${to}\\n@./link.md\\n' > '${name}'; ln -sfn '${to}' link.md`,
  ]);
  return plant;
};

/** Hands over what stands there. */
export const drawContextCall = (random: Random, terrain: Terrain): AttackCall => {
  const files = random() < 0.8 ? [pick(random, NAMES)] : [pick(random, NAMES), drawOutside(random, terrain)];
  return {
    tool: "delegate_to_agent",
    input: {
      agent: pick(random, ["helper", "owner"]),
      task: "Look at the files.",
      context_files: files,
      ...(random() < 0.9
        ? { context_mode: "selective" }
        : { working_directory: pick(random, ["src", "..", "link", ".git", "folder"]) }),
    },
  };
};
