import { expect, test } from "vitest";
import { createTargetJudge } from "./judge-target.ts";

/** A public address, which nobody dials here. */
const OWN = "1.1.1.1";

const judge = createTargetJudge({
  hosts: [["*"]],
  allowHosts: ["named.example"],
  resolve: () => Promise.resolve([OWN]),
  isOwnAddress: (address) => address === OWN,
});

test("L12 a host that leads to an interface of this machine is dialled only where the user has named that very host", async () => {
  await expect(judge(new URL("https://named.example/"))).resolves.toEqual([OWN]);
  await expect(judge(new URL("https://other.example/"))).rejects.toMatchObject({ code: "act_denied" });
});
