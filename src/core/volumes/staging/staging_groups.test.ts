import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { embeddedHasNode } from "../../../../test/conformance/world/embedded_ground.ts";
import { ConfigMaps, PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { HttpClient } from "../../../kube/client/http_client.ts";
import type { GroupKinds } from "./group_snapshot_kinds.ts";
import { VolumeSnapshotClasses, VolumeSnapshots } from "./snapshot_kinds.ts";
import { CAPTURED_FOR } from "./staged_marks.ts";
import type { GroupRequest } from "./staging_request.ts";
import { installGroupKinds, runGroupController } from "./testing/group_controller.ts";
import { type Death, MortalSender, wasKilled } from "./testing/mortal_sender.ts";
import { eventually, inTurns, namespace, Stage } from "./testing/stage.ts";

const DRIVER = "local.holdfast";
const DEATHS: readonly Death[] = Array.from({ length: 10 }, (_, index) => [
  { at: index + 1, carriedOut: false },
  { at: index + 1, carriedOut: true },
]).flat();

describe.skipIf(!embeddedHasNode)("volumes that are captured at one moment", { timeout: 120_000 }, () => {
  let stage: Stage;
  let kinds: GroupKinds;
  let running: Promise<void>;
  const stop = new AbortController();

  beforeAll(async () => {
    stage = await Stage.open();
    kinds = await installGroupKinds(stage.client);
    for (const [name, deletionPolicy] of [
      ["together", "Delete"],
      ["retained", "Retain"],
    ] as const) {
      await stage.client.create(kinds.classes, { metadata: { name }, driver: DRIVER, deletionPolicy });
    }
    const together = { metadata: { name: "together" }, driver: DRIVER, deletionPolicy: "Delete" } as const;
    await stage.client.create(VolumeSnapshotClasses, together);
    running = runGroupController(stage.client, kinds, stop.signal);
  }, 60_000);

  afterAll(async () => {
    stop.abort();
    await running;
    await stage[Symbol.asyncDispose]();
  });

  const pair = async (groupSnapshotClassName: string): Promise<GroupRequest> => {
    const [one, two] = await Promise.all([stage.scene("Snapshot"), stage.scene("Snapshot")]);
    const storageClassName = groupSnapshotClassName === "retained" ? "retained" : undefined;
    return { ...one, sources: [...one.sources, ...two.sources], groupSnapshotClassName, storageClassName };
  };

  const nothingRemains = async (request: GroupRequest) => {
    await stage.nothingRemains(request);
    const uid = request.owner.reference.uid;
    const labelSelector = `${CAPTURED_FOR}=${uid}`;
    expect((await stage.client.list(PersistentVolumeClaims, { labelSelector })).items).toEqual([]);
    const ofRequest = ({ metadata }: { metadata: { name: string } }) =>
      metadata.name.startsWith(`${request.owner.reference.name}-group`);
    expect((await stage.client.list(kinds.groups)).items.filter(ofRequest)).toEqual([]);
    const contents = (await stage.client.list(kinds.contents)).items;
    expect(
      contents.filter(({ spec }) =>
        ofRequest({ metadata: { name: spec.volumeGroupSnapshotRef.name ?? "" } }),
      ),
    ).toEqual([]);
  };

  const throughout = async (request: GroupRequest, by: HttpClient) => {
    const { volumes } = await stage.ready(request, by);
    expect(volumes).toHaveLength(2);
    await stage.cleaned(request, by);
  };

  test.each(["together", "retained"])("become copies of the members of one group (%s)", async (name) => {
    const request = await pair(name);
    const { volumes, captured } = await stage.ready(request);
    expect(captured).toBe(true);
    for (const { source, claim } of volumes) {
      const copy = await stage.client.get(PersistentVolumeClaims, { namespace, name: claim });
      const from = { namespace, name: copy.spec?.dataSource?.name ?? "" };
      const member = await stage.client.get(VolumeSnapshots, from);
      expect(member.spec.source.persistentVolumeClaimName).toBe(source.name);
      expect(member.metadata.ownerReferences).toMatchObject([{ kind: "VolumeGroupSnapshot" }]);
      const { metadata } = await stage.client.get(PersistentVolumeClaims, source);
      expect(metadata.labels?.[CAPTURED_FOR]).toBeUndefined();
    }
    await stage.cleaned(request);
    await nothingRemains(request);
  });

  test.each(["together", "retained"])(
    "are staged and cleaned up whatever call the operator dies at (%s)",
    async (name) => {
      const died = await inTurns(DEATHS, async (death) => {
        const request = await pair(name);
        const mortal = stage.clientOver(new MortalSender(stage.sender, death));
        const killed = await wasKilled(throughout(request, mortal));
        if (killed) await throughout(request, stage.client);
        await nothingRemains(request);
        return killed;
      });
      expect(died.slice(0, 8)).not.toContain(false);
    },
  );

  test("leave nothing when their owner is deleted while the operator is away", async () => {
    const requests = await inTurns(DEATHS, async (death) => {
      const request = await pair("retained");
      const mortal = stage.clientOver(new MortalSender(stage.sender, death));
      await wasKilled(stage.ready(request, mortal));
      await stage.client.delete(ConfigMaps, { namespace, name: request.owner.reference.name });
      return request;
    });
    await eventually("the end of what they left", () => stage.sweep(requests));
    await inTurns(requests, nothingRemains);
  });
});
