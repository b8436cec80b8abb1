import { Namespaces, PersistentVolumeClaims, StorageClasses } from "../../kube/builtin.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Call, Cluster, Completes } from "../frame/command.ts";
import { kindOf, type NamedKind, pluralOf } from "../frame/kinds.ts";
import type { Offer } from "./word_in_question.ts";

/** Nobody waits longer for a shell to help. */
const PATIENCE = 1_500;
/** More than anybody reads. */
const MOST = 500;

const OTHERS: Readonly<Record<string, Resource>> = {
  claim: PersistentVolumeClaims,
  namespace: Namespaces,
  storageclass: StorageClasses,
};

export interface NamesQuestion {
  readonly completes: Exclude<Completes, "files">;
  /** What is written of the word. */
  readonly begun: string;
  /** Default: the context's. */
  readonly namespace?: string | undefined;
  readonly cluster: () => Promise<Pick<Cluster, "client" | "namespace">>;
  readonly views: Call["views"];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The names of objects that a word may go on to, from lists of metadata alone. A shell that cannot help says nothing. */
export async function objectNames(question: NamesQuestion): Promise<readonly Offer[]> {
  const { completes, begun } = question;
  if (completes === "kinds") return (await kindsShown(question)).map((kind) => ({ text: pluralOf(kind) }));
  if ("names" in completes) return named(question, completes.names, "");
  const { usual } = completes;
  const references =
    completes.references === "all"
      ? (await kindsShown(question)).map(({ word }) => word)
      : completes.references;
  const slash = begun.indexOf("/");
  const word = references.find((one) => one === begun.slice(0, slash));
  if (slash >= 0) return word === undefined ? [] : named(question, word, `${word}/`);
  const kinds = references.map((text) => ({ text: `${text}/` }));
  return usual === undefined ? kinds : [...kinds, ...(await named(question, usual, ""))];
}

async function kindsShown({ views }: NamesQuestion): Promise<readonly NamedKind[]> {
  return (await views()).flatMap(({ kinds }) => kinds);
}

async function named(question: NamesQuestion, kind: string, lead: string): Promise<readonly Offer[]> {
  const { begun, cluster, namespace, clock, signal } = question;
  const resource = OTHERS[kind] ?? kindOf(kind, await kindsShown(question))?.resource;
  if (!resource) return [];
  const fitting: Offer[] = [];
  const late = new AbortController();
  const cancel = clock.after(PATIENCE, () => late.abort());
  try {
    const { client, namespace: usual } = await cluster();
    const pages = client.metadata.pages(resource, {
      limit: MOST,
      signal: AbortSignal.any([signal, late.signal]),
      ...(resource.namespaced ? { namespace: namespace ?? usual } : {}),
    });
    for await (const { items } of pages) {
      const texts = items.map(({ metadata }) => `${lead}${metadata.name}`);
      fitting.push(...texts.filter((text) => text.startsWith(begun)).map((text) => ({ text })));
      if (fitting.length >= MOST) break;
    }
  } catch {
    // What came before it failed is of use.
  } finally {
    cancel();
  }
  return fitting.slice(0, MOST);
}
