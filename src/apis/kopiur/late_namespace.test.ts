import { expect, test, vi } from "vitest";
import { Namespaces } from "../../kube/builtin.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Runnable } from "../../kube/runnable.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { backupController } from "./backup/backup_controller.ts";
import type { KopiurPorts } from "./ports.ts";
import { repositoryController } from "./repository/repository_controller.ts";
import { restoreController } from "./restore/restore_controller.ts";
import { backup, repository, restore } from "./testing/samples.ts";
import { SimulatedCluster } from "./testing/simulated_cluster.ts";
import { SimulatedOperator } from "./testing/simulated_operator.ts";

type Case = readonly [
  kind: string,
  object: KubeObject,
  controller: (ports: KopiurPorts) => Runnable,
  cache: (ports: KopiurPorts) => Cache<KubeObject>,
];

test.each<Case>([
  ["Repository", repository(), repositoryController, ({ caches }) => caches.repositories],
  ["Backup", backup(), backupController, ({ caches }) => caches.backups],
  ["Restore", restore(), restoreController, ({ caches }) => caches.restores],
])("a %s that is heard of before its namespace is looked at again", async (_, object, controller, cache) => {
  const clock = new VirtualClock();
  const cluster = new SimulatedCluster(clock);
  const looks: string[] = [];
  const nobody = { wake: () => {}, recordHolders: () => {}, repositories: () => {} };
  const operator = new SimulatedOperator({
    cluster,
    clock,
    controllers: (ports) => {
      const looked = cache(ports);
      vi.spyOn(looked, "get").mockImplementation((key) => void looks.push(key));
      return [controller({ ...ports, tasks: nobody, hooks: nobody, queues: nobody } as never)];
    },
  });
  operator.tell(object);
  await clock.advance(0);
  const key = keyOf(object.metadata);
  expect(looks.splice(0)).toContain(key);
  await cluster.create(Namespaces, { metadata: { name: object.metadata.namespace ?? "" } });
  await clock.advance(0);
  expect(looks).toContain(key);
  operator.kill();
});
