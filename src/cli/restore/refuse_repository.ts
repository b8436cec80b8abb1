import { liesOn } from "../../core/repository/lies_on.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { isForbidden } from "../../kube/api_error.ts";
import type { Reader } from "../../kube/client.ts";
import { misuse } from "../frame/problem.ts";

/** Throws a CommandProblem where a claim holds a repository: to write into it destroys every backup there. */
export async function refuseRepository(
  client: Pick<Reader, "list">,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<void> {
  const { items } = await client.list(repositoryResource, { namespace, signal }).catch((error: unknown) => {
    // The operator may look, and refuses it.
    if (isForbidden(error)) return { items: [] };
    throw error;
  });
  const held = items.find((repository) => liesOn(repository, name));
  if (held)
    throw misuse(
      `the claim ${namespace}/${name} holds the backups of repository ${held.metadata.name}`,
      "Restore into another claim.",
    );
}
