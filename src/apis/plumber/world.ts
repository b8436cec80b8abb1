import { identityKey } from "../../core/catalog/truth/known_backups.ts";
import type { Truth } from "../../core/catalog/truth/truth.ts";
import { TruthStore, truthMaps } from "../../core/catalog/truth/truth_store.ts";
import type { Claim } from "../../core/volumes/claim_request.ts";
import { KEPT_OF_CLAIM } from "../../core/volumes/kept_of_claim.ts";
import { BOUND_BY_CONTROLLER } from "../../core/volumes/populator/volume_of_prime.ts";
import { operatorNamespaceOf, type Settings } from "../../core/work/settings.ts";
import { ANNOTATIONS, GENERATED, LABELS } from "../../kinds/plumber/words.ts";
import { Namespaces, PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Clock } from "../../lib/clock.ts";
import { Consents } from "./admission/consents.ts";
import { isGenerated } from "./output/generated_marks.ts";
import { nativeOutput } from "./output/native_output.ts";
import type { Output, Present } from "./output/output.ts";
import { VolsyncBeside, writesHistory } from "./output/volsync_beside.ts";
import { volsyncOutput } from "./output/volsync_output.ts";
import { decideRestore, RESTORE_REASONS, type RestoreDecision } from "./policy/decide_restore.ts";
import { type Gate, gateOf } from "./policy/gates.ts";
import { type ParsedPvc, parsePvc, problemWith } from "./policy/parse_pvc.ts";
import { sourceState } from "./policy/source_state.ts";
import type { ObservedPvc } from "./protect/decide_protection.ts";
import { type ChosenRepository, chosenRepository, repositoryText } from "./repositories.ts";
import { DEFAULTS, type PlumberSettings, plumberSettings } from "./settings.ts";
import { truthPlace } from "./truth/truth_place.ts";

/** Some volumes are there before anyone has looked at their PVC. In milliseconds. */
const NEWS = 60_000;

/** By the backup identity of a PVC that is opted in. */
const BY_IDENTITY = "identity";

export interface WorldPorts {
  readonly informers: Pick<Informers, "cache">;
  readonly settings: Pick<Settings, "ofApis" | "operatorNamespace">;
  readonly clock: Clock;
}

/** What a PVC asks for, and what becomes of it on its way in. */
export interface JudgedPvc {
  readonly pvc: ParsedPvc;
  readonly gate: Gate;
  readonly truth: Truth;
  readonly duplicate: string | undefined;
  readonly restore: RestoreDecision;
}

/** All that this API reads, from caches alone. */
export class PlumberWorld {
  readonly settings: PlumberSettings;
  readonly home: string;
  readonly claims: Cache<Claim>;
  readonly namespaces: Cache<KubeObject>;
  readonly output: Output;
  /** With native output. */
  readonly volsync: VolsyncBeside | undefined;
  readonly repository: ChosenRepository;
  readonly maps: ReturnType<typeof truthMaps>;
  readonly truth: TruthStore;
  readonly consents: Consents;
  readonly #clock: Clock;

  constructor({ informers, settings, clock }: WorldPorts) {
    this.#clock = clock;
    this.settings = plumberSettings(settings.ofApis?.plumber);
    this.home = operatorNamespaceOf(settings);
    this.claims = informers.cache({
      resource: PersistentVolumeClaims,
      keep: KEPT_OF_CLAIM,
      indexes: { [BY_IDENTITY]: identitiesOf },
    });
    this.namespaces = informers.cache<KubeObject>({ resource: Namespaces, metadataOnly: true });
    this.repository = chosenRepository(informers, this.settings.repository);
    this.output =
      this.settings.output === "volsync"
        ? volsyncOutput(informers, this.settings)
        : nativeOutput(informers, this.settings, this.repository);
    this.volsync =
      this.settings.output === "native" ? new VolsyncBeside(informers, this.settings) : undefined;
    const place = truthPlace(this.home);
    this.maps = truthMaps(informers, place);
    this.consents = new Consents(this.maps, this.home);
    this.truth = new TruthStore({
      ...{ maps: this.maps, clock, place },
      repository: repositoryText(this.settings.repository),
      interval: this.settings.refreshInterval,
    });
  }

  /** Its PVCs are none of this API's. */
  isExcluded(namespace: string): boolean {
    return namespace === this.home || this.settings.excludedNamespaces.includes(namespace);
  }

  /**
   * What the labels of a PVC ask for, and what admission says to it now. Of one that is `arriving`, the API server has
   * looked at the label of its namespace, which a cache may not know yet, and the webhook has just written the note.
   */
  judge(claim: Pick<Claim, "metadata">, moment: "arriving" | "stored"): JudgedPvc {
    const { namespace = "" } = claim.metadata;
    const arriving = moment === "arriving";
    const pvc = arriving ? parsePvc(claim, this.settings) : this.#parsedStored(claim);
    const home = this.namespaces.get(keyOf({ name: namespace }));
    const gate = gateOf(pvc, arriving || home?.metadata.labels?.[LABELS.managedNamespace] === "true");
    const truth = this.#witnessed(claim, pvc, this.truth.answer(pvc.identity));
    const duplicate = this.#duplicateOf(claim, pvc, arriving ? "all" : "first");
    return { pvc, gate, truth, duplicate, restore: decideRestore({ pvc, gate, truth, duplicate }) };
  }

  /** Everything that the protection of a stored PVC depends on. */
  observe(claim: Claim): ObservedPvc & JudgedPvc {
    const { namespace = "", name, creationTimestamp } = claim.metadata;
    const judged = this.judge(claim, "stored");
    const { pvc, truth, gate, duplicate } = judged;
    const bound = claim.status?.phase === "Bound";
    const [createdAt, now] = [Date.parse(creationTimestamp), this.#clock.now()];
    const source = sourceState({
      pvc,
      bound,
      createdAt,
      restoring: this.#restoring(claim, truth),
      missed: missedBackup(claim, judged),
      beside: this.volsync?.of(claim.metadata).sources.find((one) => writesHistory(one, pvc.identity))
        ?.metadata.name,
      duplicate: gate.open && pvc.mode === "strict" ? duplicate : undefined,
      now,
    });
    const present = this.present(namespace, name);
    const restores = pvc.restoreMode !== "never" && pvc.restoreMode !== "audit";
    return {
      ...judged,
      object: claim,
      isNew: !bound || now < createdAt + NEWS,
      source,
      restored: this.isRestored(claim),
      restoring: this.isRestoring(claim),
      wanted: this.output.wanted({ claim, pvc, truth, source, present }),
      present,
      served: this.output.served,
      repository: this.output.ready(present, restores),
      going: this.namespaces.get(keyOf({ name: namespace }))?.metadata.deletionTimestamp !== undefined,
    };
  }

  /** What is there under the names of a PVC's own objects. */
  present(namespace: string | undefined, pvc: string): Present {
    const { caches } = this.output;
    const names = this.output.names(pvc);
    return {
      config: caches.config?.get(keyOf({ namespace, name: names.config })),
      restore: caches.restore.get(keyOf({ namespace, name: names.restore })),
      schedule: caches.schedule.get(keyOf({ namespace, name: names.schedule })),
    };
  }

  /** The object that a PVC gets its data from is one of ours, whatever has become of the labels. */
  isRestored({ metadata, spec }: Pick<Claim, "metadata" | "spec">): boolean {
    const { apiGroup, kind, name } = spec?.dataSourceRef ?? {};
    const { resource } = this.output.caches.restore;
    const { restore } = this.output.names(metadata.name);
    return apiGroup === resource.group && kind === resource.kind && name === restore;
  }

  /** It waits for its data. */
  isRestoring(claim: Claim): boolean {
    return this.isRestored(claim) && claim.status?.phase !== "Bound";
  }

  /** A note on a stored PVC may have been there before a webhook looked at it: what counts is what was written down. */
  #parsedStored(claim: Pick<Claim, "metadata">): ParsedPvc {
    const pvc = parsePvc(claim, this.settings);
    return {
      ...pvc,
      isBorrowed: pvc.isForeign && !this.consents.has(keyOf(claim.metadata), pvc.identity.text),
    };
  }

  /** A backup that has just been made is not in the list yet: the object that made it says that there is one. */
  #witnessed({ metadata }: Pick<Claim, "metadata">, pvc: ParsedPvc, truth: Truth): Truth {
    const { identity } = pvc;
    const unread = problemWith(pvc, ANNOTATIONS.backupIdentity);
    // Of the default nobody asked.
    if (unread)
      return { answer: "unknown", reason: RESTORE_REASONS.invalidAnnotation, message: unread.message };
    if (truth.answer !== "no") return truth;
    const present = this.present(metadata.namespace, metadata.name);
    const at = this.output.lastBackup(present, identity);
    if (at === undefined) return truth;
    const { kind, metadata: of } = present.config ?? present.schedule ?? { kind: "", metadata };
    const message = `${kind} ${of.name} made a backup of ${identity.text} at ${at}, which is not in the repository's list yet.`;
    return { answer: "unknown", reason: "BackupNotListed", message };
  }

  /** Whether the PVC names an object of ours as its source, and whether its data is in it. */
  #restoring(claim: Claim, truth: Truth): "none" | "running" | "completed" {
    if (!this.isRestored(claim)) return "none";
    if (this.isRestoring(claim)) return "running";
    // One that was to be restored, and of which there is no backup, started empty.
    return truth.answer === "no" ? "none" : "completed";
  }

  /** The operator has written an object of the PVC with this identity. */
  #holds({ namespace, name }: Claim["metadata"], identity: string): boolean {
    const { config, schedule } = this.present(namespace, name);
    return [config, schedule].some(
      (one) => one && isGenerated(one) && one.metadata.annotations?.[GENERATED.backupIdentity] === identity,
    );
  }

  #duplicateOf(
    { metadata }: Pick<Claim, "metadata">,
    pvc: ParsedPvc,
    others: "all" | "first",
  ): string | undefined {
    const own = keyOf(metadata);
    // It belongs to the one whose objects have it already, however old the other is; else to the older one.
    const rank = ({ metadata: of }: Pick<Claim, "metadata">) =>
      `${this.#holds(of, pvc.identity.text) ? 0 : 1} ${of.creationTimestamp} ${keyOf(of)}`;
    const isFirst = (other: Claim) => rank(other) < rank({ metadata });
    const found = this.claims
      .indexed(BY_IDENTITY, identityKey(pvc.identity))
      .filter((other) => keyOf(other) !== own && !other.metadata.deletionTimestamp)
      .filter((other) => !this.isExcluded(other.metadata.namespace ?? ""))
      // One that was not lent it has no backups.
      .filter((other) => !this.#parsedStored(other).isBorrowed)
      .filter((other) => others === "all" || isFirst(other))
      .map((other) => keyOf(other));
    return found.sort()[0];
  }
}

/** The newest backup, where that is older than a PVC that has neither data of somebody's choice nor leave to be empty. */
function missedBackup({ metadata, spec }: Claim, { pvc, truth }: JudgedPvc): string | undefined {
  const { creationTimestamp, annotations = {} } = metadata;
  if (truth.answer !== "yes" || pvc.skip?.reason !== undefined || pvc.restoreMode === "never")
    return undefined;
  const chosenVolume = spec?.volumeName !== undefined && annotations[BOUND_BY_CONTROLLER] === undefined;
  if (spec?.dataSourceRef || spec?.dataSource || chosenVolume) return undefined;
  return Date.parse(truth.newestAt) < Date.parse(creationTimestamp) ? truth.newestAt : undefined;
}

/** What a PVC says of its identity depends on no setting. */
function identitiesOf(claim: Claim): readonly string[] {
  if (claim.metadata.labels?.[LABELS.enabled] !== "true") return [];
  return [identityKey(parsePvc(claim, DEFAULTS).identity)];
}
