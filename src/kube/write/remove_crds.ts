import { type Clock, sleep } from "../../lib/clock.ts";
import { ignoreGone } from "../api_error.ts";
import { CustomResourceDefinitions } from "../builtin.ts";
import type { CallOptions, Client } from "../client.ts";
import { type Resource, resourceName } from "../resource.ts";
import type { Right } from "../rights.ts";

/** A release of Helm's. */
export interface Release {
  readonly namespace: string;
  readonly name: string;
}

/** CRDs by what becomes of them when a release goes. */
export interface SortedCrds {
  /** They belong to the release. */
  readonly going: readonly GoingCrd[];
  /** They belong to nobody, or to another: name and owner of each, as a text. */
  readonly staying: readonly string[];
}

export interface GoingCrd {
  readonly name: string;
  readonly uid?: string;
}

export interface CrdRemoval {
  readonly client: Pick<Client, "get" | "delete">;
  readonly clock: Clock;
  readonly going: readonly GoingCrd[];
}

/** How long the objects may take to go. */
const PATIENCE = 120_000;
const PAUSE = 500;

/** Whose the CRDs of these kinds are. Those that are not there are neither. */
export async function sortCrds(
  client: Pick<Client, "get">,
  kinds: readonly Resource[],
  release: Release,
  call: CallOptions = {},
): Promise<SortedCrds> {
  const going: GoingCrd[] = [];
  const staying: string[] = [];
  for (const name of kinds.map(resourceName)) {
    const crd = await client.get(CustomResourceDefinitions, { name }, call).catch(ignoreGone);
    if (!crd) continue;
    const { uid, annotations = {} } = crd.metadata;
    const owner = annotations["meta.helm.sh/release-name"];
    const namespace = annotations["meta.helm.sh/release-namespace"];
    if (owner === release.name && namespace === release.namespace)
      going.push({ name, ...(uid ? { uid } : {}) });
    else staying.push(`${name} of ${owner ? `the release ${namespace}/${owner}` : "no release of Helm's"}`);
  }
  return { going, staying };
}

/**
 * Removes CRDs in this order, and with them every object of these kinds, and waits until they are gone. Whoever calls it
 * has let go of the objects before.
 */
export async function removeCrds(
  { client, clock, going }: CrdRemoval,
  call: CallOptions = {},
): Promise<void> {
  for (const { name, uid } of going) {
    await client.delete(CustomResourceDefinitions, { name }, { ...call, ...(uid ? { uid } : {}) });
  }
  const end = clock.monotonic() + PATIENCE;
  for (const { name } of going) {
    while (await client.get(CustomResourceDefinitions, { name }, call).catch(ignoreGone)) {
      if (clock.monotonic() > end) {
        throw new Error(
          `${name} is still there after ${PATIENCE / 1000} s, as are some of its objects. It goes by itself with the last of them: where there are many that takes longer, and one that has a finalizer of somebody else stays until that is taken off`,
        );
      }
      await sleep(clock, PAUSE, call.signal);
    }
  }
}

export function crdRemovalRights(kinds: readonly Resource[]): readonly Right[] {
  return [
    {
      resource: CustomResourceDefinitions,
      verbs: ["get", "delete"],
      names: kinds.map(resourceName),
      when: ["removingCrds"],
      why: "the CRDs are to go with the release",
    },
    ...kinds.map((resource): Right => {
      const why = "CRDs stay while another controller works on their objects";
      return { resource, verbs: ["list"], when: ["removingCrds", "adopting"], why };
    }),
  ];
}
