import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { embeddedHasNode } from "../../../../test/conformance/world/embedded_ground.ts";
import { PersistentVolumeClaims, Pods } from "../../../kube/builtin.ts";
import { PodClient } from "../../../kube/client/pod_client.ts";
import { systemClock } from "../../../lib/clock.ts";
import { systemRandom } from "../../../lib/random.ts";
import { eventually, namespace, Stage, WAYS } from "./testing/stage.ts";

describe.skipIf(!embeddedHasNode)("staging on the embedded control plane", { timeout: 60_000 }, () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  }, 60_000);

  afterAll(() => stage[Symbol.asyncDispose]());

  /** Runs a script with a claim at /data, and returns what it said. */
  async function withClaim(
    name: string,
    claimName: string,
    script: string,
    readOnly = false,
  ): Promise<string> {
    const { client, sender, image } = stage;
    const main = { name: "main", image, args: ["-c", script] };
    await client.create(Pods, {
      metadata: { namespace, name },
      spec: {
        restartPolicy: "Never",
        containers: [{ ...main, volumeMounts: [{ name: "data", mountPath: "/data", readOnly }] }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName, readOnly } }],
      },
    });
    await eventually(`the end of pod ${name}`, async () => {
      const { status } = await client.get(Pods, { namespace, name });
      return status?.phase === "Succeeded" || status?.phase === "Failed" ? true : undefined;
    });
    const pods = new PodClient({ sender, clock: systemClock, random: systemRandom, userAgent: "test" });
    const signal = AbortSignal.timeout(10_000);
    let said = "";
    for await (const chunk of pods.logs({ namespace, name }, { signal })) said += Buffer.from(chunk);
    await client.delete(Pods, { namespace, name }, { gracePeriodSeconds: 0 });
    return said;
  }

  test.each(WAYS)("%s becomes a claim to mount, and goes without a trace", async (_, method, changes) => {
    const request = await stage.scene(method, changes);
    const { volumes } = await stage.ready(request);
    const name = volumes[0]?.claim ?? "";
    const copy = await stage.client.get(PersistentVolumeClaims, { namespace, name });
    expect(copy.metadata.ownerReferences).toEqual([request.owner.reference]);
    expect(await stage.ready(request)).toMatchObject({ volumes: [{ claim: name }] });
    await stage.cleaned(request);
    await stage.nothingRemains(request);
  });

  test("Direct makes nothing", async () => {
    const request = await stage.scene("Direct");
    const [source] = request.sources;
    expect(await stage.round(request)).toEqual({
      phase: "Ready",
      captured: false,
      volumes: [{ source, claim: source?.name }],
    });
    await stage.nothingRemains(request);
  });

  test.each(["Snapshot", "Clone"] as const)(
    "a %s has the data of its moment, and a mover may only read it",
    async (method) => {
      const request = await stage.scene(method);
      const claim = request.sources[0]?.name ?? "";
      await withClaim(`${claim}-writer`, claim, "echo then > /data/file");
      const { volumes } = await stage.ready(request);
      await withClaim(`${claim}-rewriter`, claim, "echo now > /data/file");
      const script = "cat /data/file; (echo x > /data/new) 2>/dev/null || echo refused";
      const said = await withClaim(`${claim}-reader`, volumes[0]?.claim ?? "", script, true);
      expect(said).toBe("then\nrefused\n");
      await stage.cleaned(request);
      await stage.nothingRemains(request);
    },
  );

  test("a class that does not exist is refused, and nothing is made", async () => {
    const request = await stage.scene("Snapshot", { snapshotClassName: "none" });
    expect(await stage.round(request)).toMatchObject({ phase: "Refused", reason: "SnapshotClassNotFound" });
    await stage.nothingRemains(request);
  });

  test("a snapshot that is not taken in time is given up, and nothing is left of it", async () => {
    const request = await stage.scene("Snapshot");
    expect(await stage.round(request)).toMatchObject({ phase: "Waiting" });
    const late = { ...request, deadline: systemClock.now() - 1 };
    const state = await eventually("the refusal", async () => {
      const reached = await stage.round(late);
      return reached.phase === "Refused" ? reached : undefined;
    });
    expect(state).toMatchObject({ class: "transient" });
    await stage.cleaned(request);
    await stage.nothingRemains(request);
  });

  test("several volumes are refused where the driver has no groups, and staged one by one on demand", async () => {
    const one = await stage.scene("Snapshot");
    const two = await stage.scene("Snapshot");
    const request = { ...one, sources: [...one.sources, ...two.sources] };
    expect(await stage.round(request)).toMatchObject({
      phase: "Refused",
      reason: "GroupSnapshotUnsupported",
    });
    const apart = { ...request, groupBy: "None" } as const;
    expect((await stage.ready(apart)).volumes).toHaveLength(2);
    await stage.cleaned(apart);
    await stage.nothingRemains(apart);
  });

  test("an object of the same name that is somebody else's is left alone", async () => {
    const request = await stage.scene("Clone");
    const { volumes } = await stage.ready(request);
    await stage.cleaned(request);
    const name = volumes[0]?.claim ?? "";
    await stage.boundClaim(name);
    expect(await stage.round(request)).toMatchObject({ phase: "Refused", reason: "ForeignObject" });
    await stage.cleaned(request);
    const { metadata } = await stage.client.get(PersistentVolumeClaims, { namespace, name });
    expect(metadata.deletionTimestamp).toBeUndefined();
  });
});
