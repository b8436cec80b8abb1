import { useLocation, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { NO_NAMESPACE } from "../text/links.ts";

/** What the address of a page says after the question mark: words alone, so that an address can be read and shared. */
export type Query = Readonly<Record<string, string | undefined>>;

export function parseQuery(text: string): Query {
  return Object.fromEntries(new URLSearchParams(text));
}

export function queryText(query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) params.set(name, value);
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

export function useQueryWords(): Query {
  return useSearch({ strict: false }) as Query;
}

/** Changes some of the words, in place of the address before. */
export function useSetQuery(): (change: Query) => void {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return (change) => {
    const search = (before: Query) => ({ ...before, ...change });
    void navigate({ to: pathname, search: search as never, replace: true });
  };
}

/** The namespace that the person looks at; undefined is all that they may look at. */
export function useScope(): string | undefined {
  return useQueryWords().ns || undefined;
}

/** The title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
}

interface Named {
  readonly kind: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The object that the page's address names. */
export function useNamed(): Named {
  const {
    kind = "",
    resource = "",
    namespace,
    name = "",
  } = useParams({ strict: false }) as Partial<Record<string, string>>;
  return { kind, resource, namespace: namespace === NO_NAMESPACE ? undefined : namespace, name };
}
