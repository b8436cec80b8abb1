import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { sessionQuery } from "../api/queries.ts";
import { useScope, useSetQuery } from "./scope.ts";

/** What is looked at: all namespaces, or one. Where the namespaces may not be listed, its name is typed. */
export function NamespaceChooser() {
  const scope = useScope();
  const setQuery = useSetQuery();
  const { data: session } = useQuery(sessionQuery);
  const choose = (namespace: string) => setQuery({ ns: namespace || undefined });
  const { namespaces } = session ?? {};
  if (namespaces === undefined) return <TypedNamespace key={scope} scope={scope} choose={choose} />;
  const names = scope && !namespaces.includes(scope) ? [scope, ...namespaces] : namespaces;
  return (
    <select
      aria-label="Namespace"
      className="namespace"
      value={scope ?? ""}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="">All namespaces</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

interface TypedNamespaceProps {
  readonly scope: string | undefined;
  readonly choose: (namespace: string) => void;
}

function TypedNamespace({ scope, choose }: TypedNamespaceProps) {
  const [typed, setTyped] = useState(scope ?? "");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        choose(typed.trim());
      }}
    >
      <input
        aria-label="Namespace"
        className="namespace"
        placeholder="namespace"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </form>
  );
}
