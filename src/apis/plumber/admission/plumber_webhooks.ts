import type { Claim } from "../../../core/volumes/claim_request.ts";
import { ANNOTATIONS, LABELS, PREFIX } from "../../../kinds/plumber/words.ts";
import type { AdmissionRequest, Denied, Verdict } from "../../../kube/admission/review.ts";
import { type Mutation, type Webhook, webhook } from "../../../kube/admission/webhook.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { Reader, Writer } from "../../../kube/client.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { messageOf } from "../../../lib/result.ts";
import type { Logger } from "../../../observe/log.ts";
import { isGenerated, needsCorrection } from "../output/generated_marks.ts";
import type { Output, Wanted } from "../output/output.ts";
import type { PlumberTally } from "../plumber_counters.ts";
import { RESTORE_REASONS, type RestoreDecision } from "../policy/decide_restore.ts";
import { type ParsedPvc, parsePvc, problemWith } from "../policy/parse_pvc.ts";
import { correctGenerated, createGenerated } from "../protect/act_on_protection.ts";
import type { JudgedPvc, PlumberWorld } from "../world.ts";
import { heldOrNot } from "./held_modes.ts";
import { CONSENT_CHANGES, isAudited, MAY_NOT, type MayUse, withIdentityConsent } from "./identity_consent.ts";

export interface PlumberWebhookPorts {
  readonly world: PlumberWorld;
  /** Of every replica: all of them answer. */
  readonly client: Pick<Writer, "create" | "patch" | "delete"> & Pick<Reader, "list">;
  readonly tally: PlumberTally;
  readonly log: Logger;
  readonly tell: (about: Claim, note: EventNote) => void;
  readonly mayUse: MayUse;
  readonly isOperator: (user: { readonly username?: string }) => boolean;
}

/** How long an API server waits for an answer, which needs no repository. */
const TIMEOUT_SECONDS = 10;

/**
 * The webhooks of PVCs that are opted in, in namespaces that are. No other PVC comes by here, so that none has to wait
 * for an operator that is away. Of those that do, the ones are denied then whose mode denies what nobody knows.
 */
export function plumberWebhooks(ports: PlumberWebhookPorts): readonly Webhook[] {
  const { settings, home } = ports.world;
  const shared = {
    resource: PersistentVolumeClaims,
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
  } as const;
  return heldOrNot(settings.mode).flatMap(({ onFailure, prefix, condition }) => [
    webhook<Claim>({
      ...shared,
      onFailure,
      operations: ["CREATE", "UPDATE"],
      matchConditions: [condition, CONSENT_CHANGES],
      type: "mutating",
      name: `${prefix}restore.persistentvolumeclaims.${PREFIX}`,
      path: `/plumber/${prefix}restore/persistentvolumeclaims`,
      writes: true,
      mutate: (request, signal) => completed(ports, request, signal),
    }),
    webhook<Claim>({
      ...shared,
      onFailure,
      operations: ["CREATE"],
      matchConditions: [condition],
      type: "validating",
      name: `${prefix}validate.persistentvolumeclaims.${PREFIX}`,
      path: `/plumber/${prefix}validate/persistentvolumeclaims`,
      validate: (request) => validated(ports, request),
    }),
  ]);
}

/** The PVC as it will be stored; undefined where it is none of this API's. */
function asked(
  { world, isOperator }: PlumberWebhookPorts,
  { object, namespace, user }: AdmissionRequest<Claim>,
): Claim | undefined {
  if (!object || isOperator(user) || world.isExcluded(namespace)) return undefined;
  if (!world.claims.synced)
    throw new Error("the operator has not read the PVCs of the cluster yet; try again");
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** Says where its data comes from. What it comes from is there before the PVC is. */
export async function completed(
  ports: PlumberWebhookPorts,
  request: AdmissionRequest<Claim>,
  signal: AbortSignal,
): Promise<Mutation<Claim>> {
  const { output, settings, consents } = ports.world;
  const sent = asked(ports, request);
  if (!sent) return { allowed: true };
  const { operation, user, dryRun } = request;
  const pvc = parsePvc(sent, settings);
  const { name } = sent.metadata;
  // One that is created again is lent nothing by the one before.
  const wasLent = operation === "UPDATE" && consents.has(keyOf(sent.metadata), pvc.identity.text);
  const consented = await withIdentityConsent(sent, { lent: wasLent, user }, pvc, ports.mayUse);
  if (!consented.ok) return forbidden(consented.error);
  const { claim, lent } = consented.value;
  if (name && !dryRun)
    await consents.write(ports.client, keyOf(claim.metadata), lent ? pvc.identity.text : undefined, {
      signal,
    });
  const asIs: Mutation<Claim> = { allowed: true, ...(claim === sent ? {} : { object: claim }) };
  // A name that the API server is still to make up is of no PVC that there ever was, and of no object.
  if (operation === "UPDATE" || !name) return asIs;
  const judged = ports.world.judge(claim, "arriving");
  const { restore: decision } = judged;
  const names = ports.world.isRestored(claim);
  if (hasVolume(claim) || (hasSource(claim) && !names)) return asIs;
  const { restore, present, stranger } = sourceFor(ports.world, claim, judged);
  const { group: apiGroup, kind } = restore.resource;
  const source = { apiGroup, kind, name: restore.object.metadata.name };
  // What the PVC names itself fills it, with or without a backup that is known: for what it asks by now.
  const readable = problemWith(pvc, ANNOTATIONS.backupIdentity) === undefined;
  const fills = names && present && readable && decision.allowed && isWritten(decision);
  if (!decision.inject && !fills) return asIs;
  if (!output.served) return denied(`the API server does not know the kind ${kind}`);
  // Whoever names it has chosen it.
  if (stranger && !names) return decision.mode === "permissive" ? asIs : denied(stranger);
  const objection = await prepared(ports, { restore, present, dryRun }, signal);
  if (objection !== undefined) return denied(objection);
  if (hasSource(claim)) return asIs;
  return { allowed: true, object: { ...claim, spec: { ...claim.spec, dataSourceRef: source } } };
}

/** What a PVC is restored from, what there is under that name, and why that is none of ours and would mislead. */
function sourceFor({ output }: PlumberWorld, claim: Claim, judged: JudgedPvc) {
  const { restore } = output.wanted({ claim, ...judged });
  const present = output.caches.restore.get(keyOf(restore.object.metadata));
  return { restore, present, stranger: strangerText(output, restore, present) };
}

function strangerText(output: Output, wanted: Wanted, present: KubeObject | undefined): string | undefined {
  if (!present || isGenerated(present)) return undefined;
  const fields = output.misleads(present, wanted);
  if (fields.length === 0) return undefined;
  return `${wanted.resource.kind} ${present.metadata.name} is not the operator's own and would restore something else: it differs in ${fields.join(", ")}. Correct or delete it`;
}

/** The operator writes what PVCs of this mode are restored from. */
const isWritten = ({ mode }: Pick<RestoreDecision, "mode">) => mode !== "audit" && mode !== "never";

/**
 * Has the object there that the data comes from, with the newest of what this PVC asks for, whatever one of the same name
 * asked for before; or says why it is not.
 */
async function prepared(
  { world, client }: Pick<PlumberWebhookPorts, "world" | "client">,
  asked: { readonly restore: Wanted; readonly present: KubeObject | undefined; readonly dryRun: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { restore, present, dryRun } = asked;
  const text = `${restore.resource.kind} ${restore.object.metadata.name}`;
  if (present?.metadata.deletionTimestamp) return `${text} is being deleted`;
  const outdated = present && world.output.outdated(present, restore);
  try {
    if (present && outdated !== undefined) {
      const { uid } = present.metadata;
      if (!dryRun) await client.delete(restore.resource, present.metadata, { signal, uid });
      return `${outdated}, so the operator replaces it`;
    }
    if (dryRun) return undefined;
    if (!present) {
      if (await createGenerated(client, restore, { signal })) return undefined;
      // It is there, and too new for the cache: what it asks for, only the API server knows.
      const there = await livePresent(client, restore, signal);
      if (!there) return `${text} is being deleted`;
      return (
        strangerText(world.output, restore, there) ??
        (await prepared({ world, client }, { ...asked, present: there }, signal))
      );
    }
    if (needsCorrection(restore.object, present))
      await correctGenerated(client, restore, present, { signal });
    return undefined;
  } catch (error) {
    const verb = !present ? "created" : outdated === undefined ? "updated" : "replaced";
    return `${text} cannot be ${verb}: ${messageOf(error)}`;
  }
}

async function livePresent(
  client: Pick<Reader, "list">,
  { resource, object: { metadata } }: Wanted,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { namespace, name } = metadata;
  const { items } = await client.list(resource, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    signal,
  });
  const [found] = items;
  return found && { ...found, kind: resource.kind };
}

const forbidden = (why: string): Denied => ({
  allowed: false,
  message: `IdentityForbidden: ${ANNOTATIONS.backupIdentity} is that of another namespace, and ${why}`,
});

const denied = (why: string): Denied => ({
  allowed: false,
  code: 503,
  message: `The PVC is to be restored, and ${why}. Apply the PVC again.`,
});

/** The final word on a PVC. */
export async function validated(
  ports: PlumberWebhookPorts,
  request: AdmissionRequest<Claim>,
): Promise<Verdict> {
  const claim = asked(ports, request);
  if (!claim) return { allowed: true };
  const judged = ports.world.judge(claim, "arriving");
  const { isForeign, isBorrowed, identity: lent } = judged.pvc;
  // The other webhook's note was taken off, the identity is another one by now, or the note is not its own.
  const isLent = !isForeign || (!isBorrowed && (await ports.mayUse(request.user, lent.hostname)));
  if (!isLent && !isAudited(judged.pvc)) return forbidden(`${request.user.username} ${MAY_NOT}`);
  const { restore, truth } = judged;
  const { mode, reason } = restore;
  const missed = restore.inject && !hasSource(claim) && !hasVolume(claim);
  const stranger = missed ? sourceFor(ports.world, claim, judged).stranger : undefined;
  const unrestored = missed && !(stranger && mode === "permissive");
  const allowed = restore.allowed && !unrestored;
  const result = allowed ? (restore.inject && !missed ? "injected" : "allowed") : "denied";
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
  const empty = reason === RESTORE_REASONS.restoreSkipped || reason === RESTORE_REASONS.neverRestored;
  if (empty && ports.world.isRestored(claim)) warnings.push(namesSource(claim));
  if (allowed) {
    if (stranger) warnings.push(`The PVC starts empty: ${stranger}.`);
    return { allowed: true, warnings };
  }
  const message = unrestored ? unrestoredText(claim, judged.pvc, stranger) : restore.message;
  if (!request.dryRun) ports.tell(claim, { type: "Warning", reason: "RestoreDenied", message });
  return { allowed: false, message: `${reason}: ${message}`, warnings };
}

function unrestoredText({ metadata }: Claim, { identity }: ParsedPvc, stranger: string | undefined): string {
  if (stranger) return `${stranger}, and apply the PVC again.`;
  return metadata.generateName
    ? `There is a backup of ${identity.text}, and a PVC whose name the API server makes up cannot be restored. Give the PVC a name.`
    : `A backup of ${identity.text} has just become known. Apply the PVC again to have it restored.`;
}

const namesSource = ({ spec }: Claim) =>
  `The PVC names ${spec?.dataSourceRef?.kind} ${spec?.dataSourceRef?.name} in its dataSourceRef, and does not start empty with that: remove it.`;

/** Somebody has said where its data comes from. */
function hasSource({ spec }: Claim): boolean {
  return (spec?.dataSourceRef ?? spec?.dataSource ?? undefined) !== undefined;
}

/** It is to be bound to a volume that there is. */
const hasVolume = ({ spec }: Claim): boolean => Boolean(spec?.volumeName);
