import { isNotFound, isNotServed } from "../../../kube/api_error.ts";
import {
  CsiDrivers,
  PersistentVolumeClaims,
  PersistentVolumes,
  ResourceQuotas,
  StorageClasses,
} from "../../../kube/builtin.ts";
import type { CallOptions, Reader } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Claim } from "../claim_request.ts";
import { glance, glanceAll, look } from "../staging/look.ts";
import { volumeBehind } from "../staging/observe_source.ts";
import { visible } from "../staging/observed_staging.ts";
import type { ClaimStorage, ObservedPopulation } from "./observed_population.ts";
import { isPrimeFor, primeName } from "./population_marks.ts";

type PopulationReader = Pick<Reader, "get" | "list">;

/** Looks at a claim that names a source, and at its prime claim. */
export async function observePopulation(
  reader: PopulationReader,
  { metadata }: KubeObject,
  call: CallOptions = {},
): Promise<ObservedPopulation> {
  const present = await look(reader, PersistentVolumeClaims, metadata, call);
  if (present?.metadata.uid !== metadata.uid) return NOTHING;
  const { namespace } = metadata;
  const prime = await look(reader, PersistentVolumeClaims, { namespace, name: primeName(present) }, call);
  const volumeName = present.spec?.volumeName;
  return {
    claim: present,
    bound: volumeName ? await glance(reader, PersistentVolumes, { name: volumeName }, call) : undefined,
    prime,
    volume: prime && isPrimeFor(prime, present) ? await volumeBehind(reader, prime, call) : undefined,
    ...(prime || volumeName ? {} : { storage: await observeStorage(reader, present, call) }),
  };
}

const NOTHING: ObservedPopulation = {
  claim: undefined,
  bound: undefined,
  prime: undefined,
  volume: undefined,
};

/** Looks at a prime claim whose claim is gone. */
export async function observeForsaken(
  reader: PopulationReader,
  { metadata }: KubeObject,
  call: CallOptions = {},
): Promise<ObservedPopulation> {
  const prime = await look(reader, PersistentVolumeClaims, metadata, call);
  if (prime?.metadata.uid !== metadata.uid) return NOTHING;
  return { ...NOTHING, prime, volume: await volumeBehind(reader, prime, call) };
}

async function observeStorage(
  reader: PopulationReader,
  { metadata, spec }: Claim,
  call: CallOptions,
): Promise<ClaimStorage> {
  const name = spec?.storageClassName;
  const storageClass = name ? await glance(reader, StorageClasses, { name }, call) : undefined;
  const provisioner = visible(storageClass)?.provisioner;
  const { namespace = "" } = metadata;
  const [driver, quotas] = await Promise.all([
    provisioner ? glance(reader, CsiDrivers, { name: provisioner }, call) : undefined,
    quotasIn(reader, namespace, call),
  ]);
  return { storageClass, driver, quotas };
}

/** The quotas of a namespace. A control plane without quotas says that there is no such kind. */
export function quotasIn(
  reader: Pick<Reader, "list">,
  namespace: string,
  call: CallOptions,
): Promise<ClaimStorage["quotas"]> {
  return glanceAll(reader, ResourceQuotas, { namespace, ...call }).catch(noneWhereUnknown);
}

/** Of a list, both say that there is no such kind: the API server's own words, and those of a path that nobody serves. */
function noneWhereUnknown(error: unknown): readonly [] {
  if (!isNotFound(error) && !isNotServed(error)) throw error;
  return [];
}
