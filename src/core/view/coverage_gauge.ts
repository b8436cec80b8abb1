import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import { namespaceCache } from "../../kube/cache/namespaces.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { GaugeOptions } from "../../observe/metrics.ts";
import { KEPT_OF_CLAIM } from "../volumes/kept_of_claim.ts";
import type { ApiView } from "./api_view.ts";
import { coverageCounts, volumeViews } from "./joined.ts";

/**
 * How many volumes are protected, counted at a scrape from the caches that the controllers of these APIs share: nothing
 * else is watched for it. `namespace`: default all.
 */
export function coverageGauge(
  views: readonly ApiView[],
  informers: Pick<Informers, "cache">,
  namespace?: string,
): GaugeOptions {
  const scope = namespace === undefined ? {} : { namespace };
  const claims = informers.cache<KubeObject>({
    resource: PersistentVolumeClaims,
    ...scope,
    keep: KEPT_OF_CLAIM,
  });
  const namespaces = namespaceCache(informers, namespace);
  const caches = new Map(
    views
      .flatMap(({ kinds }) => kinds)
      // An operator of one namespace watches nothing beyond it.
      .filter(({ resource, uncounted }) => !uncounted && (resource.namespaced || namespace === undefined))
      .map(({ resource }): [Resource, { values(): Iterable<KubeObject> }] => [
        resource,
        informers.cache<KubeObject>({ resource, ...(resource.namespaced ? scope : {}), optional: true }),
      ]),
  );
  const of = <T extends KubeObject>(resource: Resource<T>) =>
    [...(caches.get(resource)?.values() ?? [])] as readonly KubeObject[] as readonly T[];
  return {
    name: "holdfast_volumes",
    help: "PersistentVolumeClaims by how they are protected; those of runs and of repositories are not counted",
    labels: ["coverage"],
    read: () => {
      const listed = { of, claims: [...claims.values()] };
      // What is late or wrong is not counted here, so that the time does not matter.
      const parts = views.map((view) => ({ api: view.api, part: view.read(listed, 0) }));
      const volumes = volumeViews({ claims: listed.claims, namespaces: [...namespaces.values()], parts });
      const counts = Object.entries(coverageCounts(volumes));
      return counts.map(([coverage, value]) => ({ labels: { coverage }, value }));
    },
  };
}
