import type { Claim } from "../../../core/volumes/claim_request.ts";
import { ANNOTATIONS, LABELS, PREFIX } from "../../../kinds/plumber/words.ts";
import type { AdmissionRequest, Denied, Verdict } from "../../../kube/admission/review.ts";
import { type Mutation, type Webhook, webhook } from "../../../kube/admission/webhook.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { Writer } from "../../../kube/client.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { messageOf } from "../../../lib/result.ts";
import type { Logger } from "../../../observe/log.ts";
import type { Wanted } from "../output/output.ts";
import type { PlumberTally } from "../plumber_counters.ts";
import { createGenerated } from "../protect/act_on_protection.ts";
import type { JudgedPvc, PlumberWorld } from "../world.ts";

export interface PlumberWebhookPorts {
  readonly world: PlumberWorld;
  /** Of every replica: all of them answer. */
  readonly client: Pick<Writer, "create" | "delete">;
  readonly tally: PlumberTally;
  readonly log: Logger;
  readonly tell: (about: Claim, note: EventNote) => void;
  readonly isOperator: (user: { readonly username?: string }) => boolean;
}

/** How long an API server waits for an answer, which needs no repository. */
const TIMEOUT_SECONDS = 10;

/**
 * The webhooks of PVCs that are opted in, in namespaces that are. No other PVC comes by here, so that none has to wait
 * for an operator that is away; those that do are denied then, unless their mode is audit, which denies nothing.
 */
export function plumberWebhooks(ports: PlumberWebhookPorts): readonly Webhook[] {
  const { settings, home } = ports.world;
  const shared = {
    resource: PersistentVolumeClaims,
    operations: ["CREATE"],
    onFailure: "deny",
    timeoutSeconds: TIMEOUT_SECONDS,
    objectSelector: { matchLabels: { [LABELS.enabled]: "true", [LABELS.manage]: "true" } },
    namespaceSelector: {
      matchLabels: { [LABELS.managedNamespace]: "true" },
      matchExpressions: [
        {
          key: "kubernetes.io/metadata.name",
          operator: "NotIn",
          values: [...new Set([...settings.excludedNamespaces, home])],
        },
      ],
    },
    matchConditions: settings.mode === "audit" ? [HAS_A_MODE] : [],
  } as const;
  return [
    webhook<Claim>({
      ...shared,
      type: "mutating",
      name: `restore.persistentvolumeclaims.${PREFIX}`,
      path: "/plumber/restore/persistentvolumeclaims",
      writes: true,
      mutate: (request, signal) => completed(ports, request, signal),
    }),
    webhook<Claim>({
      ...shared,
      type: "validating",
      name: `validate.persistentvolumeclaims.${PREFIX}`,
      path: "/plumber/validate/persistentvolumeclaims",
      validate: (request) => validated(ports, request),
    }),
  ];
}

/** While the operator's mode is audit, only a PVC with one of its own can be denied. */
const HAS_A_MODE = {
  name: "has-a-mode",
  expression: `has(object.metadata.annotations) && ('${ANNOTATIONS.mode}' in object.metadata.annotations || '${ANNOTATIONS.restoreMode}' in object.metadata.annotations)`,
};

/** The PVC as it will be stored, and what is decided of it; undefined where it is none of this API's. */
function asked(
  { world, isOperator }: PlumberWebhookPorts,
  { object, namespace, user }: AdmissionRequest<Claim>,
): { readonly claim: Claim; readonly judged: JudgedPvc } | undefined {
  // A name that the API server makes up is of no PVC that there ever was.
  if (!object?.metadata.name || isOperator(user) || world.isExcluded(namespace)) return undefined;
  if (!world.claims.synced)
    throw new Error("the operator has not read the PVCs of the cluster yet; try again");
  const claim: Claim = { ...object, metadata: { ...object.metadata, namespace } };
  return { claim, judged: world.judge(claim, "arriving") };
}

/** Says where its data comes from. What it comes from is there before the PVC is. */
export async function completed(
  ports: PlumberWebhookPorts,
  request: AdmissionRequest<Claim>,
  signal: AbortSignal,
): Promise<Mutation<Claim>> {
  const found = asked(ports, request);
  if (!found?.judged.restore.inject || hasVolume(found.claim)) return { allowed: true };
  const { claim, judged } = found;
  const { output } = ports.world;
  if (hasSource(claim) && !ports.world.isRestored(claim)) return { allowed: true };
  const { restore } = output.wanted({ claim, ...judged });
  const { group: apiGroup, kind } = restore.resource;
  const source = { apiGroup, kind, name: restore.object.metadata.name };
  if (!output.served) return denied(`the API server does not know the kind ${kind}`);
  const present = output.caches.restore.get(keyOf(restore.object.metadata));
  const objection = await prepared(ports, { restore, present, dryRun: request.dryRun }, signal);
  if (objection !== undefined) return denied(objection);
  if (hasSource(claim)) return { allowed: true };
  const sent = request.object ?? claim;
  return { allowed: true, object: { ...sent, spec: { ...sent.spec, dataSourceRef: source } } };
}

/** Has the object there that the data comes from, with the newest of it; or says why it is not. */
async function prepared(
  { world, client }: PlumberWebhookPorts,
  asked: { readonly restore: Wanted; readonly present: KubeObject | undefined; readonly dryRun: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { restore, present, dryRun } = asked;
  const text = `${restore.resource.kind} ${restore.object.metadata.name}`;
  if (present?.metadata.deletionTimestamp) return `${text} is being deleted`;
  const outdated = present && world.output.outdated(present);
  try {
    if (present && outdated !== undefined) {
      const { uid } = present.metadata;
      if (!dryRun) await client.delete(restore.resource, present.metadata, { signal, uid });
      return `${outdated}, so the operator replaces it`;
    }
    if (!present && !dryRun) await createGenerated(client, restore, { signal });
    return undefined;
  } catch (error) {
    return `${text} cannot be ${outdated === undefined ? "created" : "replaced"}: ${messageOf(error)}`;
  }
}

const denied = (why: string): Denied => ({
  allowed: false,
  code: 503,
  message: `The PVC has a backup and must be restored, and ${why}. Apply the PVC again.`,
});

/** The final word on a PVC. */
export function validated(ports: PlumberWebhookPorts, request: AdmissionRequest<Claim>): Verdict {
  const found = asked(ports, request);
  if (!found) return { allowed: true };
  const { claim, judged } = found;
  const { restore, truth } = judged;
  const unrestored = restore.inject && !hasSource(claim) && !hasVolume(claim);
  const allowed = restore.allowed && !unrestored;
  const { mode, reason } = restore;
  const result = allowed ? (restore.inject ? "injected" : "allowed") : "denied";
  if (!request.dryRun) {
    ports.tally.admitted({ operation: request.operation, result, mode, reason, answer: truth.answer });
    if (judged.duplicate !== undefined) ports.tally.duplicate();
    const { namespace, name } = claim.metadata;
    const { identity, tier } = judged.pvc;
    ports.log.info(
      { namespace, name, identity: identity.text, tier, mode, decision: reason, result },
      "a PVC was judged",
    );
  }
  const warnings = restore.warnings.map(({ message }) => message);
  if (allowed) return { allowed: true, warnings };
  const message = unrestored
    ? `A backup of ${judged.pvc.identity.text} has just become known. Apply the PVC again to have it restored.`
    : restore.message;
  if (!request.dryRun) ports.tell(claim, { type: "Warning", reason: "RestoreDenied", message });
  return { allowed: false, message: `${reason}: ${message}`, warnings };
}

/** Somebody has said where its data comes from. */
function hasSource({ spec }: Claim): boolean {
  return (spec?.dataSourceRef ?? spec?.dataSource ?? undefined) !== undefined;
}

/** It is to be bound to a volume that there is. */
const hasVolume = ({ spec }: Claim): boolean => Boolean(spec?.volumeName);
