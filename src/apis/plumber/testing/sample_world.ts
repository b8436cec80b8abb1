import type { KnownBackups } from "../../../core/catalog/truth/known_backups.ts";
import { headText } from "../../../core/catalog/truth/truth_head.ts";
import { shardMark, shardTexts } from "../../../core/catalog/truth/truth_shards.ts";
import type { Claim } from "../../../core/volumes/claim_request.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { PlumberWorld } from "../world.ts";
import { FakeInformers } from "./fake_informers.ts";

/** The world of a test: namespaces, PVCs and what is known of backups are put into it. */
export function sampleWorld(settings: object = {}) {
  const informers = new FakeInformers();
  const clock = new VirtualClock();
  const given = { moverImage: "mover", operatorNamespace: "holdfast", ofApis: { plumber: settings } };
  const world = new PlumberWorld({ informers, settings: given, clock });
  const meta = { uid: "u", resourceVersion: "1", creationTimestamp: new Date(clock.now()).toISOString() };
  const map = (name: string, data: object) =>
    informers.put("configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "holdfast", name, ...meta },
      data,
    });
  return {
    world,
    clock,
    informers,
    namespace(name: string, managed = true) {
      const labels = managed ? { "pvc-plumber.io/managed-namespace": "true" } : {};
      informers.put("namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name, ...meta, labels },
      });
    },
    /** The leader has published this. */
    publish(known: KnownBackups, head: object = {}) {
      const texts = shardTexts(known);
      const readAt = new Date(clock.now()).toISOString();
      for (const [shard, entries] of texts.entries())
        if (entries !== "") map(`pvc-plumber-truth-${shard}`, { entries, readAt });
      const repository = "ClusterRepository pvc-plumber";
      map("pvc-plumber-truth", {
        head: headText({ repository, uniqueID: "id", readAt, shards: texts.map(shardMark), ...head }),
      });
    },
    store(claim: Claim) {
      informers.put("persistentvolumeclaims", claim);
    },
    claim(
      name: string,
      annotations: Readonly<Record<string, string>> = {},
      more: Partial<Claim> = {},
      namespace = "media",
    ): Claim {
      const labels = {
        "pvc-plumber.io/enabled": "true",
        "pvc-plumber.io/manage-volsync": "true",
        "pvc-plumber.io/tier": "hourly",
      };
      return {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { namespace, name, ...meta, labels, annotations },
        spec: {},
        ...more,
      };
    },
  };
}
