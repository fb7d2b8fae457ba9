/** Shown for an address that leads nowhere: says so, and where to go from here. */
import { Link } from "../parts/router.tsx";

export const NotFoundScreen = ({ path }: { readonly path: string }) => (
  <main className="screen blank not-found">
    <h1>There is nothing at this address</h1>
    <p className="quiet mono">{path}</p>
    <p>The link may be old or mistyped. Sessions are found by any word that was said in them, in the search of the menu.</p>
    <p>
      <Link href="/" className="button solid">
        Back to the start
      </Link>
    </p>
  </main>
);
