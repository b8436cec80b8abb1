import { listingProblem, listSnapshots } from "../../../core/catalog/list_snapshots.ts";
import { shrunkCondition } from "../../../core/catalog/shrunk_condition.ts";
import { type KnownBackups, knownBackups, withMissing } from "../../../core/catalog/truth/known_backups.ts";
import { publishHead, publishTruth, type TruthWriting } from "../../../core/catalog/truth/publish_truth.ts";
import { parseHead, type TruthHead } from "../../../core/catalog/truth/truth_head.ts";
import { SHARDS, shardEntries, shardTexts } from "../../../core/catalog/truth/truth_shards.ts";
import { shardName } from "../../../core/catalog/truth/truth_store.ts";
import { controllerPorts, type EngineRoom } from "../../../core/reconcile/engine_room.ts";
import type { Problem } from "../../../core/reconcile/problem.ts";
import { readyRepository } from "../../../core/repository/use_repository.ts";
import { operatorNamespaceOf } from "../../../core/work/settings.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { ReplicationSource } from "../../../kinds/plumber/volsync.ts";
import type { ConfigMap } from "../../../kube/builtin.ts";
import type { Cache, Change } from "../../../kube/cache/cache.ts";
import { Controller, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { Failure } from "../../../kube/failure.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { backoff } from "../../../lib/backoff.ts";
import { VOLSYNC_PATH } from "../../../wire/volsync.ts";
import type { PlumberTally } from "../plumber_counters.ts";
import { type AnyRepository, type ChosenRepository, repositoryText, sessionWith } from "../repositories.ts";
import type { PlumberSettings } from "../settings.ts";
import { truthPlace } from "./truth_place.ts";

export interface TruthPorts {
  readonly room: EngineRoom;
  readonly settings: PlumberSettings;
  readonly repository: ChosenRepository;
  readonly maps: Cache<ConfigMap>;
  readonly namespaces: Cache<KubeObject>;
  readonly backups: Cache<Backup>;
  /** What tells of backups that other programs make. Default: nothing. */
  readonly sources?: Cache<ReplicationSource> | undefined;
  readonly tally: PlumberTally;
}

/** A list of many thousands, from a slow storage. */
const DEADLINE = 1_800_000;
const LONGEST_BACKOFF = 300_000;

/** Asks the repository for its list at a fixed interval, and when a backup has ended, and publishes what it says. */
export function truthController(ports: TruthPorts): Controller {
  const { room, repository, backups } = ports;
  const refresh = new Refresh(ports);
  const controller = new Controller({
    ...controllerPorts(room),
    name: "plumber-truth",
    deadline: DEADLINE,
    reconcile: (_, signal) => refresh.look(signal),
  })
    .watch(ports.maps, { keys: () => [] })
    .watch(ports.namespaces, { keys: () => [] })
    .watch(repository.cache, {
      when: (change) => change.key === repository.key && refresh.concerns(change),
    })
    .watch(backups, {
      keys: () => [repository.key],
      when: (change) => refresh.ended(change, succeeded),
    });
  if (ports.sources) {
    controller.watch(ports.sources, {
      keys: () => [repository.key],
      when: (change) => refresh.ended(change, ({ status }) => status?.lastSyncTime),
      awaited: false,
    });
  }
  // A repository that is not there is said to be so, too.
  controller.enqueue(repository.key);
  return controller;
}

const succeeded = ({ status }: Backup) => (status?.phase === "Succeeded" ? status.phase : undefined);

class Refresh {
  readonly #ports: TruthPorts;
  /** Somebody has a reason to look now. */
  #asked = true;
  #dueAt = 0;
  #failures = 0;

  constructor(ports: TruthPorts) {
    this.#ports = ports;
  }

  /** Whether the repository can be asked has changed. */
  concerns(change: Change<AnyRepository>): boolean {
    const isReady = (repository: AnyRepository) => this.#ready(repository).ok;
    if (change.type === "updated" && isReady(change.previous) === isReady(change.object)) return false;
    this.#asked = true;
    return true;
  }

  /** A backup has just ended, by what an object says of its last one: what it made is to be known at once. */
  ended<T>(change: Change<T>, last: (object: T) => string | undefined): boolean {
    if (change.type !== "updated") return false;
    const at = last(change.object);
    const isNew = at !== undefined && at !== last(change.previous);
    if (isNew) this.#asked = true;
    return isNew;
  }

  async look(signal: AbortSignal): Promise<Outcome> {
    const { clock } = this.#ports.room;
    const wait = this.#dueAt - clock.monotonic();
    if (wait > 0 && !this.#asked) return requeueAfter(wait);
    this.#asked = false;
    const next = await this.#attempt(signal);
    this.#dueAt = clock.monotonic() + next;
    return requeueAfter(next);
  }

  /** Reads the list. Returns when to do so again, in milliseconds. */
  async #attempt(signal: AbortSignal): Promise<number> {
    const { room, settings, tally } = this.#ports;
    const repo = repositoryText(settings.repository);
    try {
      await this.#refresh(signal);
      this.#failures = 0;
      tally.refreshed(repo);
      return settings.refreshInterval;
    } catch (error) {
      signal.throwIfAborted();
      const problem = listingProblem(error);
      const { reason, message } = problem;
      this.#failures += 1;
      tally.refreshFailed(repo, reason);
      const isNews = await this.#tell(problem, signal);
      const fields = { repository: repo, reason, error: message };
      room.log[isNews ? "warn" : "debug"](fields, "the list of backups was not read");
      const base = settings.refreshInterval / 4;
      return backoff(this.#failures, { base, cap: LONGEST_BACKOFF }, room.random);
    }
  }

  #ready(repository: AnyRepository | undefined) {
    return readyRepository(repository, repositoryText(this.#ports.settings.repository));
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    const { room, settings, repository: chosen, namespaces } = this.#ports;
    const { clock } = room;
    const ready = this.#ready(chosen.cache.get(chosen.key));
    if (!ready.ok) throw new Failure(ready.error.class, ready.error.reason, ready.error.message);
    const { value: repository } = ready;
    const [readAt, begun] = [clock.now(), clock.monotonic()];
    const request = await sessionWith(room, repository, { resource: chosen.resource, namespaces }, signal);
    const { uniqueID } = repository.status;
    const listing = listSnapshots(room, { request, uniqueID }, { path: VOLSYNC_PATH }, signal);
    const listed = await knownBackups(listing, VOLSYNC_PATH, () => clock.now());
    const before = this.#published();
    const lasting = shrunkCondition(repository) !== undefined;
    const known = withMissing(listed, before, { now: clock.now(), lasting });
    const head = {
      repository: repositoryText(settings.repository),
      uniqueID,
      readAt: new Date(readAt).toISOString(),
    };
    await publishTruth(
      room.client,
      this.#place,
      {
        head,
        took: () => clock.monotonic() - begun,
        texts: shardTexts(known),
        present: (shard) => this.#text(shard),
      },
      { signal },
    );
  }

  /** What was published of it, also when another repository has taken its place: an empty one, or a wrong one. */
  #published(): KnownBackups {
    if (this.#head?.repository !== repositoryText(this.#ports.settings.repository)) return new Map();
    const shards = Array.from({ length: SHARDS }, (_, shard) => shardEntries(this.#text(shard) ?? ""));
    return new Map(shards.flatMap((shard) => [...shard]));
  }

  /** The list stays as it was read last, and grows old. True if nobody was told of the problem before. */
  async #tell({ reason, message }: Problem, signal: AbortSignal): Promise<boolean> {
    const { room, settings } = this.#ports;
    const repository = repositoryText(settings.repository);
    const before = this.#head;
    const same = before?.repository === repository ? before : { repository, uniqueID: "", shards: [] };
    const { problem } = same as TruthHead;
    if (problem?.reason === reason && problem.message === message) return false;
    await publishHead(room.client, this.#place, { ...same, problem: { reason, message } }, { signal });
    return true;
  }

  get #place(): TruthWriting {
    return truthPlace(operatorNamespaceOf(this.#ports.room.settings));
  }

  get #head(): TruthHead | undefined {
    return parseHead(this.#map(this.#place.name)?.data?.head);
  }

  #text(shard: number): string | undefined {
    return this.#map(shardName(this.#place, shard))?.data?.entries;
  }

  #map(name: string): ConfigMap | undefined {
    return this.#ports.maps.get(keyOf({ namespace: this.#place.namespace, name }));
  }
}
