/** Whether commands run in a sandbox on this machine. Without one an agent whose rights are limited is refused every command. */
import { probeSandbox } from "@retinue/confine";

export const hasSandbox = async (): Promise<boolean> => (await probeSandbox()).backend !== "none";
