import { expect, test } from "vitest";
import { Informers } from "../../kube/cache/informers.ts";
import { RecordingClient } from "../../kube/testing/recording_client.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { silentLogger as log } from "../../observe/log.ts";
import { noWatchObserver } from "../../observe/observers.ts";
import { cozystack } from "./api.ts";

test("tenants get what is in their namespace; classes and strategies are the administrators'", () => {
  const { view, edit, remove = [] } = cozystack.people;
  expect([view, edit, remove].map((some) => some.map(({ kind }) => kind))).toEqual([
    ["Plan", "BackupJob", "Backup", "RestoreJob"],
    // Not Backups: what these say of their data is believed.
    ["Plan", "BackupJob", "RestoreJob"],
    ["Backup"],
  ]);
});

test("webhooks and gauges share the caches of one process", () => {
  const ports = { clock: new VirtualClock(), random: seededRandom(1), log };
  const client = new RecordingClient();
  const all = new Informers({ ...ports, client: client as never, observer: noWatchObserver });
  const informers = all.for("cozystack");
  const twice = () => {
    cozystack.gauges({ informers });
    return cozystack.webhooks({
      ...ports,
      client: client as never,
      informers,
      settings: { moverImage: "mover:1" },
      operatorNamespace: "platform",
      storesIn: () => new Map(),
      isOperator: () => false,
    });
  };
  expect(twice().length).toBe(twice().length);
});
