import { allowsPrivileges } from "../../../core/consent/privileges.ts";
import { controllerPorts } from "../../../core/reconcile/engine_room.ts";
import { lendingProblem } from "../../../core/repository/access.ts";
import type { Claim } from "../../../core/volumes/claim_request.ts";
import { isTemporary } from "../../../core/volumes/selectable_claims.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { type BackupConfig, backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { ignoreGone } from "../../../kube/api_error.ts";
import { type Cache, type Change, lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import { act } from "../act.ts";
import { configCrossings } from "../admission/crossings.ts";
import { BY_NAMESPACE, BY_ORIGIN, BY_REPOSITORY, BY_SELECTION, BY_TARGET_NAMESPACE } from "../caches.ts";
import { crossingProblem } from "../crossing_problem.ts";
import { decideMultiNamespace } from "../multi_namespace/decide_multi_namespace.ts";
import { isDerivedFrom, originKey } from "../multi_namespace/derived_config.ts";
import { isMultiNamespace, sourcesByNamespace } from "../multi_namespace/namespaces_of.ts";
import { observeNamespaces } from "../multi_namespace/observe_namespaces.ts";
import type { KopiurPorts } from "../ports.ts";
import { repositoryKey } from "../references.ts";
import { useRepository } from "../repository_use.ts";
import { hasSelector } from "../rules/recorded_paths.ts";
import { repositorySources } from "../rules/repository_claims.ts";
import { CaptureAnswers } from "./capture_answers.ts";
import { decideConfig } from "./decide_config.ts";
import { sourcesOf } from "./sources.ts";

const LOOK_AGAIN = 1_000;

/** Says of BackupConfigs whether they can be run, and under which identity. */
export function configController(ports: KopiurPorts): Controller {
  const { configs, repositories, clusterRepositories, claims, namespaces, schedules } = ports.caches;
  const ofRepository = ({ key }: { readonly key: ObjectKey }) =>
    configs.indexed(BY_REPOSITORY, key).map(keyOf);
  const answers = new CaptureAnswers(ports);
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-backupconfig",
    concurrency: 4,
    reconcile: (key, signal) => reconcile(ports, answers, key, signal),
  })
    .watch(configs)
    .watch(configs, { keys: (change) => collidingWith(configs, change) })
    .watch(repositories, { keys: ofRepository })
    .watch(claims, {
      when: (change) => !isTemporary(lastSeen(change)),
      keys: ({ key }) => configs.indexed(BY_SELECTION, parseKey(key).namespace ?? "").map(keyOf),
    })
    // Of those that it names it tells which are not there, and which have a volume that cannot be captured.
    .watch(claims, {
      when: (change) => change.type !== "updated" || isNewlyBound(change.object, change.previous),
      keys: ({ key }) =>
        configs
          .indexed(BY_NAMESPACE, parseKey(key).namespace ?? "")
          .filter((config) => namedClaims(config).includes(parseKey(key).name))
          .map(keyOf),
    })
    // A BackupConfig and those that repeat it elsewhere follow each other.
    .watch(configs, { keys: (change) => relatives(configs, change) })
    .watch(schedules, {
      awaited: false,
      keys: (change) => {
        const { metadata, spec } = lastSeen(change);
        const key = keyOf({ namespace: metadata.namespace, name: spec.configRef.name });
        const config = configs.get(key);
        return config && isMultiNamespace(config) ? [key] : [];
      },
    })
    .watch(namespaces, { keys: ({ key }) => configs.indexed(BY_TARGET_NAMESPACE, key).map(keyOf) })
    // Its labels may be what a repository is shared by, and its annotations let movers have privileges.
    .watch(namespaces, {
      when: ({ type }) => type !== "removed",
      keys: ({ key }) => configs.indexed(BY_NAMESPACE, key).map(keyOf),
    });
  if (clusterRepositories) controller.watch(clusterRepositories, { keys: ofRepository });
  return controller;
}

function relatives(configs: Cache<BackupConfig>, change: Change<BackupConfig>): readonly ObjectKey[] {
  const origin = originKey(lastSeen(change));
  return [...configs.indexed(BY_ORIGIN, change.key).map(keyOf), ...(origin === undefined ? [] : [origin])];
}

function isNewlyBound(claim: Claim, previous: Claim): boolean {
  return (
    claim.spec?.volumeName !== previous.spec?.volumeName || claim.status?.phase !== previous.status?.phase
  );
}

function namedClaims({ spec }: BackupConfig): readonly string[] {
  return spec.sources.flatMap(({ pvc }) => pvc?.name ?? []);
}

function absentClaims({ lookup }: KopiurPorts, config: BackupConfig): readonly string[] {
  const { namespace } = config.metadata;
  return namedClaims(config).filter((name) => lookup.claim({ namespace, name }) === "absent");
}

/** Whether the BackupConfig that it repeats is gone, or is about this namespace no longer. */
function isLeftBehind({ caches, namespace: watched }: KopiurPorts, config: BackupConfig): boolean {
  const key = originKey(config);
  // Who looks at one namespace alone does not know what others hold.
  if (key === undefined || watched !== undefined) return false;
  const origin = caches.configs.get(key);
  const { namespace = "" } = config.metadata;
  const same = origin && isDerivedFrom(config, origin) && !origin.metadata.deletionTimestamp;
  return !(same && isMultiNamespace(origin) && sourcesByNamespace(origin).has(namespace));
}

/** Those that gave way to another BackupConfig are looked at again when one of the same repository changes or goes. */
function collidingWith(configs: Cache<BackupConfig>, change: Change<BackupConfig>): readonly ObjectKey[] {
  const states = [
    ...(change.type === "removed" ? [] : [change.object]),
    ...(change.type === "added" ? [] : [change.previous]),
  ];
  return states.flatMap(({ metadata, spec }) =>
    configs
      .indexed(BY_REPOSITORY, repositoryKey(spec.repository, metadata.namespace ?? ""))
      .filter(({ status }) => status?.conditions?.some(({ reason }) => reason === "IdentityCollision"))
      .map(keyOf),
  );
}

async function reconcile(
  ports: KopiurPorts,
  answers: CaptureAnswers,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const { configs, claims, namespaces, schedules } = ports.caches;
  const config = configs.get(key);
  if (!config) answers.forget(key);
  if (!config || config.metadata.deletionTimestamp) return done;
  const { namespace = "" } = config.metadata;
  if (isLeftBehind(ports, config)) {
    const { uid } = config.metadata;
    await ports.client.delete(backupConfigResource, config.metadata, { uid, signal }).catch(ignoreGone);
    return done;
  }
  const use = useRepository(ports, config.spec.repository, { namespace, witnesses: [config] });
  const target = { resource: backupConfigResource, object: config };
  if (isMultiNamespace(config)) {
    // What repeats it keeps the zone of its schedules, and would lose it.
    if (!schedules.synced) return requeueAfter(LOOK_AGAIN);
    const decision = decideMultiNamespace({
      config,
      use,
      parts: observeNamespaces(ports, config),
      now: ports.clock.now(),
    });
    return act(ports, target, decision, signal);
  }
  const stores = ports.storesIn(namespace);
  const selected = hasSelector(config)
    ? claims.indexed(BY_NAMESPACE, namespace).filter(({ metadata }) => !stores.has(metadata.name))
    : [];
  const { repository } = use;
  const sources = repository && sourcesOf({ config, backend: repository.spec.backend, claims: selected });
  const planned = sources?.ok ? sources.value : [];
  const { capture, group } = await answers.of(config, planned, signal);
  const decision = decideConfig({
    config,
    use,
    crossing: crossingProblem(ports, config, configCrossings),
    others: configs.indexed(BY_REPOSITORY, use.key),
    store: repositorySources(config, ports.lookup)[0],
    absent: absentClaims(ports, config),
    claims: selected,
    capture,
    group,
    consent: allowsPrivileges(namespaces.get(keyOf({ name: namespace })), ANNOTATIONS.allowPrivilegedMovers),
    lending: repository && lendingProblem(repository, { namespace, settings: ports.settings }),
    now: ports.clock.now(),
  });
  return act(ports, target, decision, signal);
}
