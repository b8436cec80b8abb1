import { ApiError, isNotFound } from "../../kube/api_error.ts";
import { didYouMean } from "../../lib/did_you_mean.ts";
import type { Cluster } from "./command.ts";
import { NATIVE_KINDS } from "./kinds.ts";

/**
 * What was likely meant by the name of an object that the server does not know, as kind/name; undefined where nothing is
 * near, or whoever asks may not look.
 */
export async function meantName(
  error: unknown,
  { client }: Pick<Cluster, "client">,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!(error instanceof ApiError) || !isNotFound(error)) return undefined;
  const [, plural, group, name = ""] = /^([a-z]+)\.([a-z0-9.-]+) "([^"]+)" not found$/.exec(error.said) ?? [];
  const kind = NATIVE_KINDS.find(({ resource }) => resource.plural === plural && resource.group === group);
  if (!kind) return undefined;
  const scope = kind.resource.namespaced ? { namespace } : {};
  const found = await client
    .list(kind.resource, { ...scope, signal, omitManagedFields: true })
    .catch(() => undefined);
  const meant = didYouMean(name, found?.items.map(({ metadata }) => metadata.name) ?? []);
  return meant && `${kind.word}/${meant}`;
}
