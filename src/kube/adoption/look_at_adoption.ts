import { ApiError, ignoreGone } from "../api_error.ts";
import { CustomResourceDefinitions } from "../builtin.ts";
import type { CallOptions, Reader } from "../client.ts";
import { type Resource, resourceName } from "../resource.ts";
import { crdShortfalls, type PresentCrd, type WantedKind } from "./crd_shortfalls.ts";
import { newestOfEach, otherWrites, type StatusWrite, writeText } from "./other_writers.ts";

/** What is to be worked with although somebody else may have installed it. */
export interface AdoptionScope {
  readonly kinds: readonly WantedKind[];
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string | undefined;
  /** What others wrote up to then, by the API server's clock and in milliseconds, is history. Default: nothing is. */
  readonly previousControllerStoppedAt?: number | undefined;
}

/** Objects in one answer. */
const PAGE = 500;

/** Why these kinds cannot be worked with, each as a sentence; none where they can. Changes nothing. */
export async function lookAtAdoption(
  client: Reader,
  scope: AdoptionScope,
  call: CallOptions = {},
): Promise<readonly string[]> {
  const shortfalls = await lookAtCrds(client, scope, call);
  return [...shortfalls, ...(await lookAtWriters(client, scope, call)).map(writeText)];
}

/** In what the CRDs fall short. */
export async function lookAtCrds(
  client: Reader,
  { kinds }: AdoptionScope,
  call: CallOptions = {},
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const kind of kinds) {
    const crd = await client
      .get(CustomResourceDefinitions, { name: resourceName(kind.resource) }, call)
      .catch(ignoreGone);
    found.push(...crdShortfalls(kind, crd as PresentCrd | undefined));
  }
  return found;
}

/** Who else writes the status of these objects: of each its newest write. */
export async function lookAtWriters(
  client: Reader,
  { kinds, namespace, previousControllerStoppedAt }: AdoptionScope,
  call: CallOptions = {},
): Promise<readonly StatusWrite[]> {
  const found: StatusWrite[] = [];
  for (const { resource } of kinds) {
    found.push(...(await writesOf(client, resource, { namespace, previousControllerStoppedAt }, call)));
  }
  return newestOfEach(found);
}

async function writesOf(
  client: Reader,
  resource: Resource,
  { namespace, previousControllerStoppedAt }: Omit<AdoptionScope, "kinds">,
  call: CallOptions,
): Promise<readonly StatusWrite[]> {
  const where = namespace === undefined || !resource.namespaced ? {} : { namespace };
  let newest: readonly StatusWrite[] = [];
  try {
    for await (const page of client.metadata.pages(resource, { ...call, ...where, limit: PAGE })) {
      const writes = page.items.flatMap((object) =>
        otherWrites(resource, object, previousControllerStoppedAt),
      );
      newest = newestOfEach([...newest, ...writes]);
    }
  } catch (error) {
    // A kind that is not served has no objects; that it is not is among the shortfalls.
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  }
  return newest;
}
