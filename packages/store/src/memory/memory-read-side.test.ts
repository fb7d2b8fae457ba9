import { describeReadSide } from "../testing/read-side-contract.ts";
import { createMemoryLog } from "./memory-log.ts";

describeReadSide("memory", createMemoryLog);
