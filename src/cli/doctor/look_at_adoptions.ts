import { type AdoptionScope, lookAtCrds, lookAtWriters } from "../../kube/adoption/look_at_adoption.ts";
import { writeProblem } from "../../kube/adoption/other_writers.ts";
import { isForbidden } from "../../kube/api_error.ts";
import type { Pod } from "../../kube/builtin.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { apiKinds } from "./api_kinds.ts";
import { broken, type Finding, well } from "./finding.ts";
import { envOf, operatorPods } from "./look_at_operator.ts";

/** So many problems are told; the operator's log has all. */
const MOST = 20;

/** Whether an operator was told to adopt CRDs, as far as its pods may be looked at. */
export async function areAdopted(call: Call, cluster: Cluster): Promise<boolean> {
  const pods = await operatorPods(call, cluster).catch((error: unknown) => {
    if (isForbidden(error)) return new Map<string, Pod>();
    throw error;
  });
  return [...pods.values()].some(isAdopting);
}

/** Of each operator that was told to adopt CRDs, whether it can: by the same look as its own. */
export async function lookAtAdoptions(call: Call, cluster: Cluster): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const [account, pod] of await operatorPods(call, cluster)) {
    if (!isAdopting(pod)) continue;
    const problems = await problemsOf(call, cluster, await scopeOf(envOf(pod)));
    if (problems.length === 0) found.push(well(`${account} can work with the CRDs, whoever installed them`));
    found.push(
      ...problems.map(({ problem, fix }) =>
        broken(`${account} does not work with the CRDs that it was to adopt`, problem, fix),
      ),
    );
  }
  return found;
}

function isAdopting(pod: Pod): boolean {
  return envOf(pod).HOLDFAST_ADOPT_CRDS === "on";
}

async function scopeOf(env: Readonly<Record<string, string>>): Promise<AdoptionScope> {
  const { HOLDFAST_NAMESPACE: namespace, HOLDFAST_PREVIOUS_CONTROLLER_STOPPED_AT: since = "" } = env;
  const served = (env.HOLDFAST_APIS || "kopiur").split(",").map((name) => name.trim());
  const kinds = (await apiKinds()).flatMap(({ api, kinds }) => (served.includes(api) ? kinds : []));
  // The operator does not start with a time that is none.
  const previousControllerStoppedAt = Date.parse(since);
  return {
    kinds: kinds.filter(({ resource }) => !namespace || resource.namespaced),
    ...(namespace ? { namespace } : {}),
    ...(Number.isNaN(previousControllerStoppedAt) ? {} : { previousControllerStoppedAt }),
  };
}

/** One for each thing that stands in the way: each has to be mended. */
async function problemsOf({ signal }: Call, { client }: Cluster, scope: AdoptionScope) {
  const shortfalls = await lookAtCrds(client, scope, { signal });
  const more = shortfalls.length - MOST;
  const told = [...shortfalls.slice(0, MOST), ...(more > 0 ? [`and ${more} more`] : [])];
  const fix =
    "Have whoever installed these CRDs bring them to the form of this release; the operator looks again every half a minute.";
  const writes = await lookAtWriters(client, scope, { signal });
  return [...told.map((problem) => ({ problem, fix })), ...writes.map(writeProblem)];
}
