import { readyRepository } from "../../core/repository/use_repository.ts";
import type { Claim } from "../../core/volumes/claim_request.ts";
import { KEPT_OF_CLAIM } from "../../core/volumes/kept_of_claim.ts";
import { operatorNamespaceOf, type Settings } from "../../core/work/settings.ts";
import { type BackupConfig, backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { type BackupSchedule, backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { LABELS } from "../../kinds/plumber/words.ts";
import { Namespaces, PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Clock } from "../../lib/clock.ts";
import { identityKey } from "./policy/backup_identity.ts";
import { decideRestore, type RestoreDecision, type Truth } from "./policy/decide_restore.ts";
import { type Gate, gateOf } from "./policy/gates.ts";
import { type ParsedPvc, parsePvc } from "./policy/parse_pvc.ts";
import { sourceState } from "./policy/source_state.ts";
import type { ObservedPvc } from "./protect/decide_protection.ts";
import { generatedFor, generatedNames } from "./protect/generated_objects.ts";
import { type ChosenRepository, chosenRepository } from "./repositories.ts";
import { DEFAULTS, type PlumberSettings, plumberSettings } from "./settings.ts";
import { repositoryText, TruthStore, truthMaps } from "./truth/truth_store.ts";

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
  readonly configs: Cache<BackupConfig>;
  readonly schedules: Cache<BackupSchedule>;
  readonly restores: Cache<Restore>;
  readonly repository: ChosenRepository;
  readonly maps: ReturnType<typeof truthMaps>;
  readonly truth: TruthStore;
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
    this.configs = informers.cache({ resource: backupConfigResource });
    // Its controller watches these, and waits for them: no other has to.
    this.schedules = informers.cache({ resource: backupScheduleResource, optional: true });
    this.restores = informers.cache({ resource: restoreResource });
    this.repository = chosenRepository(informers, this.settings.repository);
    this.maps = truthMaps(informers, this.home);
    this.truth = new TruthStore({ maps: this.maps, clock, namespace: this.home, settings: this.settings });
  }

  /** Its PVCs are none of this API's. */
  isExcluded(namespace: string): boolean {
    return namespace === this.home || this.settings.excludedNamespaces.includes(namespace);
  }

  /**
   * What the labels of a PVC ask for, and what admission says to it now. Of one that is `arriving`, the API server has
   * looked at the label of its namespace, which a cache may not know yet.
   */
  judge(claim: Pick<Claim, "metadata">, moment: "arriving" | "stored"): JudgedPvc {
    const { namespace = "" } = claim.metadata;
    const pvc = parsePvc(claim, this.settings);
    const arriving = moment === "arriving";
    const home = this.namespaces.get(keyOf({ name: namespace }));
    const gate = gateOf(pvc, arriving || home?.metadata.labels?.[LABELS.managedNamespace] === "true");
    const truth = this.#witnessed(claim, pvc, this.truth.answer(pvc.identity));
    const duplicate = this.#duplicateOf(claim, pvc, arriving ? "all" : "older");
    return { pvc, gate, truth, duplicate, restore: decideRestore({ pvc, gate, truth, duplicate }) };
  }

  /** Everything that the protection of a stored PVC depends on. */
  observe(claim: Claim): ObservedPvc & JudgedPvc {
    const { namespace = "", name, creationTimestamp } = claim.metadata;
    const judged = this.judge(claim, "stored");
    const { pvc, truth } = judged;
    const bound = claim.status?.phase === "Bound";
    const source = sourceState({
      pvc,
      bound,
      createdAt: Date.parse(creationTimestamp),
      restoring: this.#restoring(claim, truth),
      now: this.#clock.now(),
    });
    const names = generatedNames(name, this.settings.namingStrategy);
    return {
      ...judged,
      object: claim,
      bound,
      source,
      wanted: generatedFor({ namespace, name, pvc, truth, settings: this.settings }),
      present: {
        config: this.configs.get(keyOf({ namespace, name: names.config })),
        restore: this.restores.get(keyOf({ namespace, name: names.restore })),
        schedule: this.schedules.get(keyOf({ namespace, name: names.schedule })),
      },
      repository: readyRepository(
        this.repository.cache.get(this.repository.key),
        repositoryText(this.settings.repository),
      ),
      going: this.namespaces.get(keyOf({ name: namespace }))?.metadata.deletionTimestamp !== undefined,
    };
  }

  /** A backup that has just been made is not in the list yet: its BackupConfig says that there is one. */
  #witnessed({ metadata }: Pick<Claim, "metadata">, { identity }: ParsedPvc, truth: Truth): Truth {
    if (truth.answer !== "no") return truth;
    const { config: name } = generatedNames(metadata.name, this.settings.namingStrategy);
    const config = this.configs.get(keyOf({ namespace: metadata.namespace, name }));
    const { username, hostname } = config?.spec.identity ?? {};
    const at = config?.status?.lastSuccessfulBackup?.at;
    if (at === undefined || username !== identity.username || hostname !== identity.hostname) return truth;
    const message = `BackupConfig ${name} made a backup of ${identity.text} at ${at}, which is not in the repository's list yet.`;
    return { answer: "unknown", reason: "BackupNotListed", message };
  }

  /** Whether the PVC names a Restore of ours, and whether its data is in it. */
  #restoring({ metadata, spec, status }: Claim, truth: Truth): "none" | "running" | "completed" {
    const { apiGroup, kind, name } = spec?.dataSourceRef ?? {};
    const { restore } = generatedNames(metadata.name, this.settings.namingStrategy);
    const ours = apiGroup === restoreResource.group && kind === restoreResource.kind && name === restore;
    if (!ours) return "none";
    if (status?.phase !== "Bound") return "running";
    // One that was to be restored, and of which there is no backup, started empty.
    return truth.answer === "no" ? "none" : "completed";
  }

  #duplicateOf(
    { metadata }: Pick<Claim, "metadata">,
    pvc: ParsedPvc,
    others: "all" | "older",
  ): string | undefined {
    const own = keyOf(metadata);
    const isOlder = (other: Claim) => {
      const [a, b] = [other.metadata.creationTimestamp, metadata.creationTimestamp];
      return a === b ? keyOf(other) < own : a < b;
    };
    const found = this.claims
      .indexed(BY_IDENTITY, identityKey(pvc.identity))
      .filter((other) => keyOf(other) !== own && !other.metadata.deletionTimestamp)
      .filter((other) => !this.isExcluded(other.metadata.namespace ?? ""))
      .filter((other) => others === "all" || isOlder(other))
      .map((other) => keyOf(other));
    return found.sort()[0];
  }
}

/** What a PVC says of its identity depends on no setting. */
function identitiesOf(claim: Claim): readonly string[] {
  if (claim.metadata.labels?.[LABELS.enabled] !== "true") return [];
  return [identityKey(parsePvc(claim, DEFAULTS).identity)];
}
