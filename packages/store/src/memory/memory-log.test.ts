import { describeEventLog } from "../testing/log-contract.ts";
import { createMemoryLog } from "./memory-log.ts";

describeEventLog("memory", createMemoryLog);
