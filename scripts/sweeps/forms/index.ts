/** All sweeps, in the order in which they are made. */
import { BUDGET } from "./budget.ts";
import { BUSY } from "./busy.ts";
import { CORRUPTION } from "./corruption.ts";
import { CUT } from "./cut.ts";
import { FAULT } from "./fault.ts";
import type { Form } from "./form.ts";
import { KILL } from "./kill.ts";
import { PLANTED_FAULTS } from "./planted.ts";
import { PROCESS } from "./process.ts";
import { QUEUE } from "./queue.ts";
import { TREE } from "./tree.ts";

export const FORMS: readonly Form[] = [KILL, TREE, BUSY, QUEUE, FAULT, PROCESS, PLANTED_FAULTS, BUDGET, CORRUPTION, CUT];
