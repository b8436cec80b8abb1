import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { OIDC_START, type Problem, type Session, type SignIn } from "../../../../src/cli/console/contract.ts";
import { postJson, setCsrf } from "../../api/http.ts";
import { sessionQuery } from "../../api/queries.ts";
import { keepPlace } from "../../layout/kept_place.ts";
import { useTitle } from "../../layout/scope.ts";
import { ProblemBox } from "../../parts/problem_box.tsx";
import { problemOf } from "../../text/problem.ts";

/** Asks who looks. What the person may see and do is what Kubernetes gives this identity. */
export function SignInPage({ session }: { readonly session: Session }) {
  useTitle("Sign in");
  const has = (way: Session["signIn"][number]) => session.signIn.includes(way);
  return (
    <main className="alone">
      <h1>Holdfast</h1>
      <p>
        Sign in{session.server ? ` to ${session.server}` : ""}. You see and do what your own rights allow.
      </p>
      {has("loopback") ? (
        <section className="card">
          <h2>From this machine</h2>
          <p>
            Open the link that <code>holdfast console</code> printed in your terminal. Each link works once.
            Run the command again for a new one.
          </p>
        </section>
      ) : null}
      {has("oidc") ? (
        <section className="card">
          <h2>With your organisation's account</h2>
          <p>
            <a className="button primary" href={OIDC_START} onClick={keepPlace}>
              Sign in
            </a>
          </p>
        </section>
      ) : null}
      {has("token") ? <TokenForm /> : null}
      <p className="dim">Version {session.version}</p>
    </main>
  );
}

function TokenForm() {
  const client = useQueryClient();
  const field = useId();
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const signIn = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const session = await postJson<Session>("sign-in", { token: token.trim() } satisfies SignIn);
      setCsrf(session.csrf);
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
      client.setQueryData(sessionQuery.queryKey, session);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        if (token.trim() !== "" && !busy) void signIn();
      }}
    >
      <h2>With a token</h2>
      <p className="dim">
        A bearer token of the cluster, such as from <code>kubectl create token</code>. It is kept in the
        server's memory for this session alone.
      </p>
      <label htmlFor={field}>Token</label>
      <input
        id={field}
        type="password"
        autoComplete="off"
        value={token}
        onChange={(event) => setToken(event.target.value)}
      />
      {problem ? <ProblemBox problem={problem} /> : null}
      <div className="actions">
        <button type="submit" className="primary" disabled={busy || token.trim() === ""}>
          Sign in
        </button>
      </div>
    </form>
  );
}
