/** Tests: the cases of the workspace, which can be run from here, and the runs so far; opened, a run with its steps beside their evidence. */
import { CaseList } from "./case-list.tsx";
import { RunList } from "./run-list.tsx";
import { TestRunDetail } from "./test-run-detail.tsx";

export const TestsScreen = ({ testRunId }: { readonly testRunId: string }) => (
  <main className="screen scroll">
    <div className="screen-inner is-wide">
      <h1>Tests</h1>
      {testRunId === "" ? (
        <>
          <CaseList />
          <RunList />
        </>
      ) : (
        <TestRunDetail testRunId={testRunId} />
      )}
    </div>
  </main>
);
