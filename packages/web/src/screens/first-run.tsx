/** What a person who has just started needs to know: that built-in rules answer, what the doctor found, and how a model is connected. */
import { CodeBlock } from "../parts/code-block.tsx";
import { useCall } from "../server/use-call.ts";
import type { WorkspaceItem } from "../server/workspaces.ts";
import { Findings } from "./findings.tsx";

const SNIPPET = `# retinue.yaml, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY …
model: local/any-name
providers:
  local: { type: openai-compatible, baseUrl: "http://127.0.0.1:8080/v1" }
`;

export const FirstRun = ({ workspace }: { readonly workspace: WorkspaceItem }) => {
  const doctor = useCall("getDoctor", workspace.isOffline ? { params: { workspaceId: workspace.workspaceId } } : null);
  if (!workspace.isOffline) return null;
  return (
    <section className="first-run panel" aria-label="No model is connected yet">
      <div className="first-run-text">
        <h2>No model is connected yet</h2>
        <p>
          The <strong>offline model</strong> answers: built-in rules, no LLM. It drives the real agents and tools on your files,
          so you can look around without a key. It can search and quote, not reason.
        </p>
        <h3>Connect one</h3>
        <p>
          Set the key of a provider, or start a local server (Ollama, LM Studio, llama.cpp, vLLM): it is found by itself. Then
          start this server again.
        </p>
        <CodeBlock code={SNIPPET} language="yaml" />
      </div>
      <div className="first-run-doctor">
        <h3>What the doctor found</h3>
        <Findings report={doctor.value} />
      </div>
    </section>
  );
};
