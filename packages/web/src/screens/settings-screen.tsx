/** Every setting in force and where it came from, what the doctor found, and how this page looks and calls. */
import { Glyph } from "../parts/status.tsx";
import { useCall } from "../server/use-call.ts";
import { useWorkspaces } from "../server/workspaces.ts";
import { useNotifying } from "../shell/notify.ts";
import { THEMES, useTheme } from "../shell/theme.ts";
import { ErrorNote } from "../tree/tool-card.tsx";
import { Rules } from "./rules.tsx";
import { Findings } from "./findings.tsx";

type Origin = {
  readonly type: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly name?: string | undefined;
};

const describeOrigin = ({ type, file, line, name }: Origin): string => {
  if (file !== undefined) return line === undefined ? file : `${file}:${line}`;
  return name ?? (type === "default" ? "" : type);
};

const Look = () => {
  const [theme, setTheme] = useTheme();
  const [isNotifying, setNotifying] = useNotifying();
  return (
    <section className="panel pad stack" aria-label="This page">
      <h2>This page</h2>
      <fieldset className="segments">
        <legend className="quiet small">Look</legend>
        {THEMES.map((name) => (
          <label key={name}>
            <input type="radio" name="theme" checked={theme === name} onChange={() => setTheme(name)} /> {name}
          </label>
        ))}
      </fieldset>
      <label className="line">
        <input type="checkbox" checked={isNotifying} onChange={({ target }) => void setNotifying(target.checked)} />
        Notify on the desktop when an agent waits for me
      </label>
    </section>
  );
};

export const SettingsScreen = () => {
  const { current } = useWorkspaces();
  const params = current === undefined ? null : { params: { workspaceId: current.workspaceId } };
  const settings = useCall("listSettings", params);
  const doctor = useCall("getDoctor", params);
  return (
    <main className="screen scroll">
      <div className="screen-inner">
        <h1>Settings</h1>
        <p className="quiet">{current?.folder}</p>
        <Look />
        <section className="panel pad stack" aria-label="Doctor">
          <div className="line">
            <h2 className="grow">Doctor</h2>
            <button type="button" className="button small" onClick={doctor.again}>
              Look again
            </button>
          </div>
          {doctor.error === null ? null : <ErrorNote error={doctor.error} />}
          <Findings report={doctor.value} className="columns" />
        </section>
        <Rules />
        <section className="panel pad stack" aria-label="Settings in force">
          <h2>In force</h2>
          {settings.error === null ? null : <ErrorNote error={settings.error} />}
          {settings.value?.warnings.map((warning) => (
            <div key={warning} className="note" data-status="timeout">
              <Glyph status="timeout" />
              <div>{warning}</div>
            </div>
          ))}
          <div className="scroll-x" tabIndex={0} role="group" aria-label="Table of settings">
            <table className="figures settings">
              <thead>
                <tr>
                  <th scope="col">Setting</th>
                  <th scope="col">Value</th>
                  <th scope="col">Set by</th>
                </tr>
              </thead>
              <tbody>
                {settings.value?.settings.map(({ key, value, origin }) => (
                  <tr key={key} data-own={origin.type === "default" ? undefined : true}>
                    <td className="mono">{key}</td>
                    <td className="mono">{String(value)}</td>
                    <td>{describeOrigin(origin) === "" ? <span className="quiet">default</span> : describeOrigin(origin)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      </div>
    </main>
  );
};
