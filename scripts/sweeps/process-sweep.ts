/**
 * Sets processes against each other on one database. `node scripts/sweeps/process-sweep.ts` takes a sample; with `--full` four of them
 * make 60,000 commits, and two steal 1,000 leases from each other.
 */
import { parseArgs } from "node:util";
import { stealLeases } from "./steal-leases.ts";
import { writeTogether } from "./write-together.ts";

const { values } = parseArgs({ options: { full: { type: "boolean", default: false } } });

const written = await writeTogether(values.full ? 60_000 : 4_000);
process.stdout.write(`four writers: ${JSON.stringify(written, null, 2)}\n`);
const stolen = await stealLeases(values.full ? 1_000 : 50);
process.stdout.write(`stolen leases: ${JSON.stringify(stolen, null, 2)}\n`);
if (written.errors.length + written.missing + written.damage.length + stolen.findings.length > 0) process.exitCode = 1;
