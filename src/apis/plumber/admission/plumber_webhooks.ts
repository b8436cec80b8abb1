import type { Claim } from "../../../core/volumes/claim_request.ts";
import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { ANNOTATIONS, LABELS, PREFIX } from "../../../kinds/plumber/words.ts";
import type { AdmissionRequest, Denied, Verdict } from "../../../kube/admission/review.ts";
import { type Mutation, type Webhook, webhook } from "../../../kube/admission/webhook.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { Writer } from "../../../kube/client.ts";
import { keyOf } from "../../../kube/object.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { messageOf } from "../../../lib/result.ts";
import type { PlumberTally } from "../plumber_counters.ts";
import { createGenerated } from "../protect/act_on_protection.ts";
import { generatedFor } from "../protect/generated_objects.ts";
import type { JudgedPvc, PlumberWorld } from "../world.ts";

export interface PlumberWebhookPorts {
  readonly world: PlumberWorld;
  /** Of every replica: all of them answer. */
  readonly client: Pick<Writer, "create">;
  readonly tally: PlumberTally;
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
  const { namespace = "", name } = claim.metadata;
  const { world, client } = ports;
  const { restore } = generatedFor({ namespace, name, ...judged, settings: world.settings });
  const source = {
    apiGroup: restoreResource.group,
    kind: restoreResource.kind,
    name: restore.object.metadata.name,
  };
  const present = world.restores.get(keyOf(restore.object.metadata));
  if (present?.metadata.deletionTimestamp) return denied(`Restore ${source.name} is being deleted`);
  if (!present && !request.dryRun) {
    try {
      await createGenerated(client, restore, { signal });
    } catch (error) {
      return denied(`Restore ${source.name} cannot be created: ${messageOf(error)}`);
    }
  }
  if (hasSource(claim)) return { allowed: true };
  const sent = request.object ?? claim;
  return { allowed: true, object: { ...sent, spec: { ...sent.spec, dataSourceRef: source } } };
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
