/**
 * Loads tools in a process of its own, because Node's own module loader is what is tested, and prints what came of it as JSON. The argument
 * holds the folders, what to trust and calls to make.
 */
import { createTrustStore } from "@retinue/confine";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import type { UserToolFolder } from "../load-user-tools.ts";
import { loadUserTools } from "../load-user-tools.ts";

type Order = {
  readonly folders: readonly UserToolFolder[];
  readonly trustFile?: string;
  readonly trustFirst?: boolean;
  readonly reserved?: readonly string[];
  readonly calls?: readonly { readonly tool: string; readonly input: object }[];
};

const { folders, trustFile, trustFirst = false, reserved = [], calls = [] } = JSON.parse(process.argv[2] ?? "{}") as Order;
const trust = trustFile === undefined ? {} : { trust: createTrustStore({ file: trustFile }) };
const load = () => loadUserTools({ folders, reserved, resolveFrom: import.meta.url, ...trust });
if (trustFirst) await trust.trust?.grant((await load()).untrusted);
const { tools, problems, untrusted } = await load();
const answers = [];
await using workspace = await createTestWorkspace();
for (const { tool, input } of calls) {
  const found = tools.find(({ name }) => name === tool);
  answers.push(found && toText(await found.execute(found.input.parse(input), workspace.context)));
}
const shown = tools.map(({ name, effect, timeoutMs }) => ({ name, effect, timeoutMs }));
process.stdout.write(JSON.stringify({ tools: shown, problems, untrusted, answers }));
