import { TRUTH } from "../../../kinds/plumber/words.ts";
import { type ConfigMap, ConfigMaps } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Clock } from "../../../lib/clock.ts";
import { type BackupIdentity, identityKey } from "../policy/backup_identity.ts";
import type { Truth } from "../policy/decide_restore.ts";
import type { PlumberSettings } from "../settings.ts";
import type { KnownBackups } from "./known_backups.ts";
import { parseHead, type TruthHead } from "./truth_head.ts";
import { shardEntries, shardMark, shardOf } from "./truth_shards.ts";

/** The ConfigMaps in which the leader publishes the list. */
export function truthMaps(informers: Pick<Informers, "cache">, namespace: string): Cache<ConfigMap> {
  return informers.cache({
    resource: ConfigMaps,
    namespace,
    labelSelector: TRUTH.label,
    keep: { data: true },
  });
}

export interface TruthStoreOptions {
  readonly maps: Cache<ConfigMap>;
  readonly clock: Clock;
  readonly namespace: string;
  readonly settings: Pick<PlumberSettings, "refreshInterval" | "repository">;
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
      if (name === TRUTH.name) this.#sawHead(parseHead(map?.data?.head), change.type === "updated");
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
    return age === undefined || age > 2 * this.#options.settings.refreshInterval;
  }

  /** Is there a backup of this identity? */
  answer(identity: BackupIdentity): Truth {
    const head = this.#head;
    const { maps, settings } = this.#options;
    if (!maps.synced) return unknown("NotRead", "The operator has not read its list of backups yet.");
    if (!head) return unknown("NotRead", "The repository has not been asked for its backups yet.");
    const { problem, readAt } = head;
    if (head.repository !== repositoryText(settings.repository)) {
      return unknown(
        "NotRead",
        `The list of backups is of ${head.repository}; that of ${repositoryText(settings.repository)} has not been read yet.`,
      );
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
    const { maps, namespace } = this.#options;
    const map = maps.get(keyOf({ namespace, name: shardName(shard) }));
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

export const shardName = (shard: number): string => `${TRUTH.name}-${shard}`;

interface ParsedShard {
  readonly map: ConfigMap;
  readonly text: string;
  readonly mark: string;
  readonly entries: KnownBackups;
}

const NO_SHARD: Pick<ParsedShard, "mark" | "entries"> = { mark: shardMark(""), entries: new Map() };

/** A repository, with its kind, as people know it. */
export function repositoryText({ kind, name, namespace }: PlumberSettings["repository"]): string {
  return `${kind} ${namespace ? `${namespace}/` : ""}${name}`;
}

function unknown(reason: string, message: string): Truth {
  return { answer: "unknown", reason, message };
}
