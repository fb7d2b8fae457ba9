/** Shown where the server does not know who asks: the link that it printed, or its password, lets one in. */
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { call } from "../server/call.ts";
import { ErrorNote } from "../tree/tool-card.tsx";

export const SignIn = ({ onDone }: { readonly onDone: () => void }) => {
  const [given, setGiven] = useState("");
  const [error, setError] = useState<ErrorValue | null>(null);
  const enter = async (): Promise<void> => {
    const token = /token=([\w-]+)/.exec(given)?.[1] ?? given.trim();
    try {
      await call("signIn", { body: { token } }).catch(() => call("signIn", { body: { password: given } }));
      onDone();
    } catch (thrown) {
      setError(toErrorValue(thrown));
    }
  };
  return (
    <main className="screen sign-in">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <h1>Retinue</h1>
        <p className="quiet">
          Open the link that `retinue serve` printed in its terminal, or paste it here. A server with a password takes that.
        </p>
        <input
          className="field"
          type="password"
          autoFocus
          aria-label="Link, token or password"
          placeholder="Link, token or password"
          value={given}
          onChange={({ target }) => setGiven(target.value)}
        />
        {error === null ? null : <ErrorNote error={error} />}
        <button type="submit" className="button solid" disabled={given === ""}>
          Sign in
        </button>
      </form>
    </main>
  );
};
