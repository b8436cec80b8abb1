import { expect, test } from "vitest";
import { type BackupStatus, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../src/kube/builtin.ts";
import { edit, nothingIsLeft, repositoryIsSound } from "./faults_stage.ts";
import { LARGE_HOUSEHOLD } from "./household.ts";
import type { SmallDisk } from "./small_disk.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** The volume of a mover's cache is too small, until it is not. */
export function smallCaches(world: () => ScenarioWorld): void {
  test("with kopia, a cache that is full fails a backup until it is larger", {
    timeout: 600_000,
  }, async () => {
    // restic leaves out of its cache what does not fit.
    await using stage = await Stage.enter(world(), "kopia");
    const repository = await stage.repositoryOnVolume();
    await stage.filledClaim("data", LARGE_HOUSEHOLD);
    const wanted = await stage.describe("data");
    await using room = await CacheRoom.make(stage, "64k");
    const cache = { storageClassName: room.className, capacity: "1Mi" };
    await stage.recipe("data", repository, { mover: { privilegedMode: true, cache } });

    const until = (what: string, isSo: (status: BackupStatus) => boolean) =>
      stage.eventually(what, async () => {
        await room.give();
        const value = await world().client.get(backupResource, { namespace: stage.namespace, name: "first" });
        return { done: isSo(value.status ?? {}), value };
      });
    await stage.beginBackup("first", "data");
    const { status } = await until("the failure is told", ({ failure }) => failure !== undefined);
    expect(status).toMatchObject({
      phase: "Failed",
      failure: {
        errorClass: "CacheFull",
        retry: "terminal",
        remedy: expect.stringContaining("Enlarge the mover's cache volume"),
      },
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Ready", status: "False", reason: "CacheFull" }),
      ]),
    });
    expect(status?.snapshots).toBeUndefined();
    expect(status?.logTail).toContain("full");

    room.disk.grow("200m");
    await edit(stage, backupResource, "first");
    const backup = await until("it succeeds", ({ phase }) => phase === "Succeeded");
    await repositoryIsSound(stage, [backup], wanted);
    await nothingIsLeft(stage);
  });
}

/** A small volume of a class that nobody makes volumes for. */
class CacheRoom implements AsyncDisposable {
  readonly disk: SmallDisk;
  readonly className: string;
  readonly #stage: Stage;
  readonly #volume: string;
  readonly #given = new Set<string>();

  static async make(stage: Stage, size: string): Promise<CacheRoom> {
    const { namespace, world } = stage;
    const { client } = world;
    const className = `${namespace}-cache`;
    const provisioner = "kubernetes.io/no-provisioner";
    await client.create(StorageClasses, { metadata: { name: className }, provisioner });
    await stage.claim("room");
    const disk = await world.shrink({ namespace, name: "room" }, size);
    const { spec } = await client.get(PersistentVolumeClaims, { namespace, name: "room" });
    const room = new CacheRoom(stage, disk, className, spec?.volumeName ?? "");
    await room.#change({ persistentVolumeReclaimPolicy: "Retain", storageClassName: className });
    await stage.remove(PersistentVolumeClaims, "room");
    return room;
  }

  private constructor(stage: Stage, disk: SmallDisk, className: string, volume: string) {
    this.#stage = stage;
    this.disk = disk;
    this.className = className;
    this.#volume = volume;
  }

  /** Gives the volume to the mover that asks for one, if any does: before a new attempt, one may tidy up. */
  async give(): Promise<void> {
    const { world, namespace } = this.#stage;
    const { items } = await world.client.list(PersistentVolumeClaims, { namespace });
    const claim = items.find(
      ({ metadata, spec }) =>
        spec?.storageClassName === this.className && !this.#given.has(metadata.uid) && !spec.volumeName,
    );
    if (!claim) return;
    const { name, uid } = claim.metadata;
    this.#given.add(uid);
    const of = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name };
    await this.#change({ claimRef: { ...of, uid: null, resourceVersion: null } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { client } = this.#stage.world;
    this.disk[Symbol.dispose]();
    await this.#change({ persistentVolumeReclaimPolicy: "Delete" });
    await client.delete(StorageClasses, { name: this.className });
  }

  async #change(spec: object): Promise<void> {
    const patch = { type: "merge", patch: { spec } } as never;
    await this.#stage.world.client.patch(PersistentVolumes, { name: this.#volume }, patch);
  }
}
