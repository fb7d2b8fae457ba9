/** What the doctor found, as lines that a person reads. It takes what it knows of the report and leaves the rest. */
export type Finding = { readonly label: string; readonly value: string; readonly isGood: boolean };

type Loose = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Loose => typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

const providerLine = (provider: Loose): Finding => {
  const keys = Array.isArray(provider["keyEnvs"]) ? provider["keyEnvs"].map(String).join(" or ") : "";
  const isGood = isRecord(provider["found"]);
  const where = text(provider["baseUrl"]);
  const missing = where === "" ? `no ${keys}` : `nothing at ${where}`;
  return { label: text(provider["name"]), value: isGood ? "found" : missing, isGood };
};

export const toFindings = (report: Loose): readonly Finding[] => {
  const { node, model, ripgrep, sandbox, inventory, providers } = report;
  const lines: Finding[] = [];
  if (isRecord(model)) lines.push({ label: "model", value: text(model["name"]), isGood: model["error"] === null });
  if (isRecord(node)) lines.push({ label: "Node", value: text(node["version"]), isGood: true });
  if (isRecord(ripgrep))
    lines.push({ label: "ripgrep", value: text(ripgrep["version"] ?? ripgrep["error"]), isGood: !("error" in ripgrep) });
  if (isRecord(sandbox)) {
    const name = text(sandbox["backend"]);
    const isGood = name !== "none" && name !== "";
    lines.push({
      label: "sandbox",
      value: isGood ? `${name} ${text(sandbox["version"])}` : `none: ${text(sandbox["reason"])}`,
      isGood,
    });
  }
  if (isRecord(inventory) && !("error" in inventory))
    lines.push({
      label: "brings",
      value: `${text(inventory["agents"])} agents, ${text(inventory["tools"])} tools`,
      isGood: true,
    });
  if (Array.isArray(providers))
    lines.push(
      ...providers
        .filter(isRecord)
        .map(providerLine)
        .toSorted((a, b) => Number(b.isGood) - Number(a.isGood)),
    );
  return lines;
};
