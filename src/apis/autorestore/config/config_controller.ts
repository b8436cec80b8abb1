import { act } from "../../../core/reconcile/act.ts";
import { controllerPorts } from "../../../core/reconcile/engine_room.ts";
import { phaseOrSpecChanged } from "../../../core/reconcile/phase_or_spec_changed.ts";
import { readinessChanged } from "../../../core/reconcile/readiness_changed.ts";
import { CLAIMED_PVCS } from "../../../kinds/autorestore/finalizers.ts";
import {
  type BackupConfig,
  backupConfigResource,
} from "../../../kinds/autorestore/generated/backup_config.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import { type Change, lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { LruMap } from "../../../lib/lru_map.ts";
import { BY_BACKUP, BY_CLAIM, BY_CONFIG, claimKeyOf, isUnended } from "../caches.ts";
import type { AutorestorePorts } from "../ports.ts";
import { actConfig, release } from "./act_config.ts";
import { configLabel, decideClaims } from "./claiming.ts";
import { decideConfig } from "./decide_config.ts";
import type { ObservedConfig } from "./observed_config.ts";
import { whileRefused } from "./while_refused.ts";

/** Annotations that were acted on lately: the caches may show them a little longer. */
const REMEMBERED = 1000;

/** Claims PVCs, and has them backed up and restored. */
export function configController(ports: AutorestorePorts): Controller {
  const { configs, repositories, backups, restores, claims, namespaces } = ports.caches;
  const doneMarks = new LruMap<string, true>(REMEMBERED);
  const all = () => [...configs.values()].map(keyOf);
  const labelled = (change: Change<KubeObject>) => {
    const label = lastSeen(change).metadata.labels?.[LABELS.config];
    return label === undefined
      ? []
      : [...configs.values()].filter((one) => configLabel(one.metadata) === label).map(keyOf);
  };
  return (
    new Controller({
      ...controllerPorts(ports),
      name: "autorestore-config",
      concurrency: 2,
      reconcile: (key, signal) => reconcile(ports, doneMarks, key, signal),
    })
      .watch(configs)
      // Another one may have been waiting for what this one had claimed.
      .watch(configs, { when: ({ type }) => type === "removed", keys: all })
      .watch(claims, { keys: all })
      .watch(namespaces, { keys: all })
      .watch(repositories, { when: readinessChanged, keys: all })
      .watch(backups, { when: phaseOrSpecChanged, keys: labelled })
      .watch(restores, { when: phaseOrSpecChanged, keys: labelled })
  );
}

async function reconcile(
  ports: AutorestorePorts,
  doneMarks: LruMap<string, true>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, caches } = ports;
  const config = caches.configs.get(key);
  if (!config) return done;
  const target = { resource: backupConfigResource, object: config };
  const observed = observe(ports, doneMarks, config);
  const { finalizers = [], deletionTimestamp } = config.metadata;
  if (deletionTimestamp) {
    const left: KubeObject[] = [];
    for (const claim of observed.claims.released)
      if (!(await release(client, claim, { signal }))) left.push(claim);
    if (left.length > 0) return requeueAfter(1_000);
    if (!finalizers.includes(CLAIMED_PVCS)) return done;
    return act(ports, target, { intents: [{ type: "LetGo", finalizer: CLAIMED_PVCS }] }, signal);
  }
  if (!finalizers.includes(CLAIMED_PVCS)) {
    return act(ports, target, { intents: [{ type: "Hold", finalizer: CLAIMED_PVCS, labels: {} }] }, signal);
  }
  const decision = decideConfig(observed);
  const { refused, settled, events: told } = await actConfig(client, config, decision, { signal });
  for (const mark of settled) doneMarks.set(mark, true);
  const { status, news, wakeAt } = refused ? whileRefused(observed, decision, refused) : decision;
  const events = [...news, ...decision.events, ...told];
  const outcome = await act(ports, target, { status, intents: [], events, wakeAt }, signal);
  // The caches show soon what was claimed, and then it goes on.
  return decision.claim.length > 0 && outcome.type === "done" ? requeueAfter(1_000) : outcome;
}

function observe(
  ports: AutorestorePorts,
  doneMarks: LruMap<string, true>,
  config: BackupConfig,
): ObservedConfig {
  const { caches, clock } = ports;
  const { namespace = "" } = config.metadata;
  const label = configLabel(config.metadata);
  const claims = decideClaims({
    config,
    claims: caches.claims.values(),
    stores: ports.storesIn,
    namespace: (name) => caches.namespaces.get(keyOf({ name })),
    exists: (one) => caches.configs.get(one as ObjectKey) !== undefined,
  });
  return {
    config,
    claims,
    backups: caches.backups.indexed(BY_CONFIG, label),
    restores: caches.restores.indexed(BY_CONFIG, label),
    repository: (name) => caches.repositories.get(keyOf({ namespace, name })),
    restoresInto: (claim) => caches.restores.indexed(BY_CLAIM, claim),
    backup: (one) => caches.backups.get(one),
    isWanted: (backup) =>
      [
        ...caches.restores.indexed(BY_BACKUP, keyOf(backup)),
        ...caches.restores.indexed(BY_CLAIM, claimKeyOf(backup)),
      ].some(isUnended),
    isDone: (mark) => doneMarks.get(mark) ?? false,
    now: clock.now(),
  };
}
