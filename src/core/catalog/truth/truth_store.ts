import { type ConfigMap, ConfigMaps } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Identity } from "../../../wire/identity.ts";
import { identityKey, type KnownBackups } from "./known_backups.ts";
import type { Truth } from "./truth.ts";
import { parseHead, type TruthHead } from "./truth_head.ts";
import { shardEntries, shardMark, shardOf } from "./truth_shards.ts";

/** Where a list is published: in ConfigMaps whose names begin with this one. */
export interface TruthPlace {
  readonly namespace: string;
  readonly name: string;
  /** Of each of them: `head`, or the number of a shard. */
  readonly label: string;
}

/** The ConfigMaps in which the leader publishes the list. */
export function truthMaps(
  informers: Pick<Informers, "cache">,
  { namespace, label: labelSelector }: Pick<TruthPlace, "namespace" | "label">,
): Cache<ConfigMap> {
  return informers.cache({ resource: ConfigMaps, namespace, labelSelector, keep: { data: true } });
}

export interface TruthStoreOptions {
  readonly maps: Cache<ConfigMap>;
  readonly clock: Clock;
  readonly place: TruthPlace;
  /** Of which it is to be, as people know it. */
  readonly repository: string;
  /** At which it is read, in milliseconds. */
  readonly interval: number;
}

/** Whose backups are asked for. */
interface Asked extends Pick<Identity, "username" | "hostname"> {
  /** As people write it. */
  readonly text: string;
}

/** Says what is known of backups, from what the leader published: no request leaves the process. */
export class TruthStore {
  readonly #options: TruthStoreOptions;
  readonly #parsed = new Map<number, ParsedShard>();
  #head: TruthHead | undefined;
  /** When the list was asked for, by this machine's monotonic clock. */
  #readAt: number | undefined;

  constructor(options: TruthStoreOptions) {
    this.#options = options;
    options.maps.onChange((change) => {
      const map = change.type === "removed" ? undefined : change.object;
      const { name } = map?.metadata ?? (change.type === "removed" ? change.previous.metadata : { name: "" });
      if (name === options.place.name) this.#sawHead(parseHead(map?.data?.head), change.type === "updated");
    });
  }

  get head(): TruthHead | undefined {
    return this.#head;
  }

  /** How old the list is, in milliseconds. */
  get age(): number | undefined {
    return this.#readAt === undefined ? undefined : this.#options.clock.monotonic() - this.#readAt;
  }

  /** Older than twice the interval at which it is read. */
  get stale(): boolean {
    const { age } = this;
    return age === undefined || age > 2 * this.#options.interval;
  }

  /** Is there a backup of this identity? */
  answer(identity: Asked): Truth {
    const head = this.#head;
    const { maps, repository } = this.#options;
    if (!maps.synced) return unknown("NotRead", "The operator has not read its list of backups yet.");
    if (!head) return unknown("NotRead", "The repository has not been asked for its backups yet.");
    const { problem, readAt } = head;
    if (head.repository !== repository) {
      const message = `The list of backups is of ${head.repository}; that of ${repository} has not been read yet.`;
      return unknown("NotRead", message);
    }
    if (readAt === undefined || this.age === undefined) {
      return unknown(
        problem?.reason ?? "NotRead",
        problem?.message ?? "The repository's list has not been read yet.",
      );
    }
    const key = identityKey(identity);
    const entries = this.#entries(shardOf(key), head);
    if (!entries) return unknown("NotRead", "The list of backups is being published.");
    const known = entries.get(key);
    const { stale } = this;
    if (!known) return { answer: "no", stale };
    if ("newestAt" in known) return { answer: "yes", newestAt: known.newestAt, stale };
    return "unusable" in known
      ? unknown(
          "OnlyUnusableSnapshots",
          `The snapshots of ${identity.text} are all incomplete or from the future: check them.`,
        )
      : unknown(
          "BackupsMissing",
          `${identity.text} had a backup, which has been missing from the repository since ${known.missingSince}: check that it is the right repository.`,
        );
  }

  #sawHead(head: TruthHead | undefined, watched: boolean): void {
    const before = this.#head;
    this.#head = head;
    if (head?.readAt === undefined) {
      this.#readAt = undefined;
    } else if (head.readAt !== before?.readAt) {
      const { clock } = this.#options;
      const { readAt, took = 0 } = head;
      // Two machines' clocks are compared only for a list that was there before this process was.
      const age = watched ? took : Math.max(took, clock.now() - Date.parse(readAt));
      this.#readAt = clock.monotonic() - age;
    }
  }

  /** Undefined while head and shard do not belong together. */
  #entries(shard: number, head: TruthHead): KnownBackups | undefined {
    const { maps, place } = this.#options;
    const map = maps.get(keyOf({ namespace: place.namespace, name: shardName(place, shard) }));
    const { mark, entries } = map ? this.#shard(shard, map) : NO_SHARD;
    // A shard is written before its head.
    const newer = map?.data?.readAt !== undefined && map.data.readAt > (head.readAt ?? "");
    return newer || mark === head.shards[shard] ? entries : undefined;
  }

  /** A shard is large: it is read once, and not for every question. */
  #shard(shard: number, map: ConfigMap): Pick<ParsedShard, "mark" | "entries"> {
    const before = this.#parsed.get(shard);
    if (before?.map === map) return before;
    const text = map.data?.entries ?? "";
    const same = before?.text === text ? before : { mark: shardMark(text), entries: shardEntries(text) };
    const parsed = { mark: same.mark, entries: same.entries, map, text };
    this.#parsed.set(shard, parsed);
    return parsed;
  }
}

export const shardName = ({ name }: Pick<TruthPlace, "name">, shard: number): string => `${name}-${shard}`;

interface ParsedShard {
  readonly map: ConfigMap;
  readonly text: string;
  readonly mark: string;
  readonly entries: KnownBackups;
}

const NO_SHARD: Pick<ParsedShard, "mark" | "entries"> = { mark: shardMark(""), entries: new Map() };

function unknown(reason: string, message: string): Truth {
  return { answer: "unknown", reason, message };
}
