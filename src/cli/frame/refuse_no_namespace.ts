import { isForbidden, isNotFound } from "../../kube/api_error.ts";
import { Namespaces } from "../../kube/builtin.ts";
import { didYouMean } from "../../lib/did_you_mean.ts";
import type { Call, Cluster } from "./command.ts";
import { EXIT } from "./exit_codes.ts";
import { CommandProblem } from "./problem.ts";

/**
 * Throws a CommandProblem where nothing was found because there is no such namespace: that nothing is wrong in it would
 * be no comfort. Whoever may not look at namespaces is not told.
 */
export async function refuseNoNamespace(
  { signal }: Pick<Call, "signal">,
  { client }: Pick<Cluster, "client">,
  name: string,
): Promise<void> {
  try {
    await client.get(Namespaces, { name }, { signal });
  } catch (error) {
    if (isForbidden(error)) return;
    if (!isNotFound(error)) throw error;
    const known = await client.list(Namespaces, { signal }).catch(() => ({ items: [] }));
    const meant = didYouMean(
      name,
      known.items.map(({ metadata }) => metadata.name),
    );
    throw new CommandProblem(`there is no namespace ${name}`, {
      fix: meant ? `Did you mean -n ${meant}?` : "Name another one with -n, or look at all of them with -A.",
      code: EXIT.notFound,
    });
  }
}
