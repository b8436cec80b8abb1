import { ignoreGone, isAlreadyExists } from "../../../kube/api_error.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import { Failure } from "../../../kube/failure.ts";
import { type Draft, type KubeObject, keyOf, type Partially } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { removeFinalizer } from "../../../kube/write/finalizers.ts";
import { unreachable } from "../../../lib/result.ts";
import { foreignCopy } from "./foreign_copy.ts";
import { explainedCreation } from "./refused_creation.ts";
import { VolumeSnapshots } from "./snapshot_kinds.ts";
import { CAPTURED_FOR, HELD, ownerText, ownerUid } from "./staged_marks.ts";
import type { StagingIntent } from "./staging_decision.ts";
import type { StagingOwner } from "./staging_request.ts";

/** Does what was decided, in order. The first failure ends it: what is left is decided again. */
export async function carryOutStaging(
  client: Client,
  intents: readonly StagingIntent[],
  call: CallOptions = {},
): Promise<void> {
  for (const intent of intents) await carryOutOne(client, intent, call);
}

function carryOutOne(client: Client, intent: StagingIntent, call: CallOptions): Promise<void> {
  switch (intent.type) {
    case "CreateSnapshot":
      return create(client, VolumeSnapshots, intent, call);
    case "CreateClaim":
      return create(client, PersistentVolumeClaims, intent, call);
    case "CreateGroup":
      return create(client, intent.resource, intent, call);
    case "Mark":
      return mark(client, intent.claim, intent.owner, call);
    case "MakeTemporary":
      return change(client, intent, { spec: { [intent.field]: "Delete" } }, call);
    case "Release":
      return release(client, intent.resource, intent.object, call);
    case "Delete":
      return remove(client, intent.resource, intent.object, call);
    default:
      return unreachable(intent);
  }
}

async function create<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  { owner, draft }: { readonly owner: StagingOwner; readonly draft: Draft<T> },
  call: CallOptions,
): Promise<void> {
  const { name = "", namespace } = draft.metadata;
  try {
    await client.create(resource, draft, call);
  } catch (error) {
    if (!isAlreadyExists(error)) {
      throw explainedCreation(error, `${resource.kind} ${keyOf({ namespace, name })}`);
    }
    const foreign = foreignCopy(await client.get(resource, { namespace, name }, call), owner);
    if (foreign) throw new Failure(foreign.class, foreign.reason, foreign.message, { cause: error });
  }
}

async function mark(
  client: Client,
  claim: KubeObject,
  owner: StagingOwner | undefined,
  call: CallOptions,
): Promise<void> {
  const labels = { [CAPTURED_FOR]: owner ? ownerUid(owner) : null };
  const annotations = { [CAPTURED_FOR]: owner ? ownerText(owner) : null };
  const resource: Resource = PersistentVolumeClaims;
  await change(client, { resource, object: claim }, { metadata: { labels, annotations } }, call);
}

/** Only as it was when it was decided upon: a changed object, or another of its name, is refused as a conflict. */
async function change(
  client: Client,
  { resource, object }: { readonly resource: Resource; readonly object: KubeObject },
  changes: { readonly metadata?: object; readonly spec?: object },
  call: CallOptions,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const patch = { ...changes, metadata: { ...changes.metadata, uid, resourceVersion } };
  await client
    .patch(resource, object.metadata, { type: "merge", patch: patch as Partially<KubeObject> }, call)
    .catch(ignoreGone);
}

async function release(
  client: Client,
  resource: Resource,
  { metadata }: KubeObject,
  call: CallOptions,
): Promise<void> {
  const object = await client.metadata.get(resource, metadata, call).catch(ignoreGone);
  if (object?.metadata.uid !== metadata.uid) return;
  await removeFinalizer(client, { resource, object, finalizer: HELD }, call);
}

async function remove(
  client: Client,
  resource: Resource,
  { metadata }: KubeObject,
  call: CallOptions,
): Promise<void> {
  await client.delete(resource, metadata, { uid: metadata.uid, propagation: "Background", ...call });
}
