import { autorestore } from "../src/apis/autorestore/api.ts";
import { deletionGuard } from "../src/apis/autorestore/backup/deletion_guard.ts";
import { autorestoreCaches } from "../src/apis/autorestore/caches.ts";
import { configController } from "../src/apis/autorestore/config/config_controller.ts";
import type { Api } from "../src/core/api.ts";
import { ClaimTurns } from "../src/core/work/claim_turns.ts";
import { resticBackupResource } from "../src/kinds/autorestore/generated/restic_backup.ts";
import { Informers } from "../src/kube/cache/informers.ts";
import { HttpClient } from "../src/kube/client/http_client.ts";
import { PodClient } from "../src/kube/client/pod_client.ts";
import { Manager } from "../src/kube/controller/manager.ts";
import { timestamp } from "../src/kube/write/timestamp.ts";
import { seededRandom } from "../src/lib/random.ts";
import { VirtualClock } from "../src/lib/virtual_clock.ts";
import { compose } from "../src/main/compose.ts";
import { silentLogger as log } from "../src/observe/log.ts";
import { noWatchObserver } from "../src/observe/observers.ts";
import { AutorestoreGround, HOME, TARGETS } from "./autorestore_ground.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const HOURS = 24;
/** So far requests get before anybody looks. */
const AT_ONCE = 400;
/** An operator ends that has made so many backups. */
const LIVES = [700, 9_100, 17_500, 31_001];

/** What became of the scheduled times of a day. */
export interface Day {
  readonly slots: number;
  readonly lost: number;
  readonly twice: number;
}

/** What decides about BackupConfigs alone: what runs their backups is played here. */
const configsOnly: Api = {
  ...autorestore,
  controllers: ({ room, informers }) => {
    const caches = autorestoreCaches(informers, room.namespace);
    const turns = new ClaimTurns(room.clock);
    const guard = deletionGuard(caches, room.clock);
    return [configController({ ...room, caches, workloads: [], turns, deletionGuard: guard })];
  },
};

/** A day of very many PVCs with two targets each, every hour, with operators that die in the middle of making backups. */
export async function autorestoreDay(claims: number): Promise<Day> {
  const clock = new VirtualClock("2026-01-01T00:30:00Z");
  const random = seededRandom(1);
  await using ground = new AutorestoreGround(clock);
  await ground.start(claims);
  const made = new Map<string, Set<string>>();
  const lives = [...LIVES];
  let operator = start();
  const quiet = async () => {
    for (let n = 0; n < AT_ONCE; n++) await clock.advance(0);
  };
  while ((await ground.claimed()) < claims) {
    await quiet();
    await clock.advance(1_000);
  }
  const end = clock.now() + HOURS * HOUR;
  const slots = claims * TARGETS.length * HOURS;
  // The last ones may still be made.
  while (clock.now() < end || (made.size < slots && clock.now() < end + HOUR / 3)) {
    await quiet();
    const { items } = await ground.client.list(resticBackupResource, { namespace: HOME });
    const fresh = items.filter(({ metadata, status }) => !status?.phase && !metadata.deletionTimestamp);
    for (const { metadata, spec } of fresh) {
      const key = `${metadata.name} of ${spec.pvcRef.name} in ${spec.repositoryRef.name}`;
      made.set(key, (made.get(key) ?? new Set()).add(metadata.uid));
      const status = { phase: "Completed", snapshotID: metadata.uid, completionTime: timestamp(clock.now()) };
      const patch = { type: "merge", patch: { status } } as const;
      await ground.client.patch(resticBackupResource, metadata, patch as never, { subresource: "status" });
    }
    const total = made.size;
    if (lives[0] !== undefined && total >= lives[0]) {
      lives.shift();
      operator.abort();
      await quiet();
      operator = start();
    }
    // Quickly through the hour, in which nothing is due.
    await clock.advance(fresh.length > 0 ? 1_000 : 5 * MINUTE);
  }
  operator.abort();
  const twice = [...made.values()].filter((uids) => uids.size > 1).length;
  return { slots, lost: slots - made.size, twice };

  function start(): AbortController {
    const stop = new AbortController();
    const ports = { clock, random, log };
    const sender = ground.plane.sender;
    const client = new HttpClient({ ...ports, sender });
    const informers = new Informers({ ...ports, client, observer: noWatchObserver });
    const controllers = compose({
      ...ports,
      apis: [configsOnly],
      client,
      logs: new PodClient({ ...ports, sender }),
      connect: () => {
        throw new Error("nobody needs a session here");
      },
      informers,
      settings: { moverImage: "mover:1" },
    });
    void new Manager(ports)
      .add("caches", informers)
      .add("elected", ...controllers)
      .run(stop.signal)
      .catch(() => {});
    return stop;
  }
}
