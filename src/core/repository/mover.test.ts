import { describe, expect, test } from "vitest";
import { err, ok } from "../../lib/result.ts";
import { blocked } from "../reconcile/problem.ts";
import { repository, SETTINGS } from "../testing/samples.ts";
import { type MoverRequest, moverFor } from "./mover.ts";

const own = { privilegedMode: false };

function mover(more: Partial<MoverRequest> = {}) {
  const place = { namespace: "billing", consent: false, annotation: "example.org/allow" };
  return moverFor({ settings: SETTINGS, repository: repository().spec, ...place, ...more });
}

function settings(more: Partial<MoverRequest> = {}) {
  const made = mover(more);
  if (!made.ok) throw new Error(made.error.message);
  return made.value.settings;
}

describe("moverFor()", () => {
  test("is nobody, in the operator's image, by default", () => {
    expect(settings()).toEqual({
      image: "holdfast/mover:1",
      securityContext: { runAsUser: 65534, runAsGroup: 65534, runAsNonRoot: true },
      cache: { emptyDir: {} },
    });
  });

  test("is told how long its engine may stand still", () => {
    const impatient = { ...SETTINGS, standstillSeconds: 300 };
    expect(settings({ settings: impatient }).env).toEqual({ HOLDFAST_STANDSTILL_SECONDS: "300" });
    expect(settings({ settings: { ...SETTINGS, moverDebug: true } }).env).toEqual({
      HOLDFAST_LOG_LEVEL: "debug",
    });
  });

  test("takes the repository's image, and the object's word over the repository's", () => {
    const spec = {
      ...repository().spec,
      moverDefaults: { ...own, nodeSelector: { disk: "slow" }, priorityClassName: "low" },
    };
    expect(
      settings({
        repository: spec,
        image: "example.org/mover:2",
        mover: { ...own, nodeSelector: { disk: "fast" } },
      }),
    ).toMatchObject({
      image: "example.org/mover:2",
      nodeSelector: { disk: "fast" },
      priorityClassName: "low",
    });
  });

  test("sizes the cache by all who say something about it", () => {
    const spec = { ...repository().spec, cacheDefaults: { capacity: "8Gi", contentCacheSizeMB: 2000 } };
    const made = mover({ repository: spec, mover: { ...own, cache: { metadataCacheSizeMB: 5 } } });
    expect(made.ok && made.value).toMatchObject({
      settings: { cache: { emptyDir: { sizeLimit: "8Gi" } } },
      cache: { contentBytes: 2_000_000_000, metadataBytes: 5_000_000 },
    });
  });

  test.each([
    ["16Gi", "16Gi"],
    [undefined, "8Gi"],
  ])("gives the cache of a class a volume of its own: asked for %s, it has %s", (wanted, capacity) => {
    const cache = { storageClassName: "fast", ...(wanted ? { capacity: wanted } : {}) };
    expect(settings({ mover: { ...own, cache } }).cache).toEqual({
      ephemeral: { storageClassName: "fast", capacity },
    });
  });

  test("runs as the only owner of what it restores, unless that is root or somebody else is named", () => {
    const runAs = { uid: 1000, gid: 2000 };
    expect(settings({ runAs }).securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 2000 });
    expect(settings({ runAs: { uid: 0, gid: 0 } }).securityContext).toMatchObject({ runAsUser: 65534 });
    const securityContext = { runAsUser: 5 };
    expect(settings({ runAs, mover: { ...own, securityContext } }).securityContext).toMatchObject({
      runAsUser: 5,
    });
  });

  describe("with a workload's security context", () => {
    const heir = { ...own, inheritSecurityContextFrom: { podSelector: {} } };
    const pod = (runAsUser: number) =>
      ok({ podSecurityContext: { supplementalGroups: [7, 8] }, securityContext: { runAsUser } });

    test("runs as the workload does", () => {
      const made = settings({ mover: { ...heir, supplementalGroups: [8, 9] }, inherited: pod(1000) });
      expect(made.securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 65534 });
      expect(made.podSecurityContext).toEqual({ supplementalGroups: [8, 9, 7] });
    });

    test("what the settings say wins, field by field", () => {
      const mover = { ...heir, securityContext: { runAsUser: 5 } };
      expect(settings({ mover, inherited: pod(1000) }).securityContext?.runAsUser).toBe(5);
    });

    test("a workload that is root needs the namespace's consent, too", () => {
      expect(mover({ mover: heir, inherited: pod(0) })).toMatchObject({
        error: { reason: "PrivilegedMoverForbidden" },
      });
      expect(mover({ mover: heir, inherited: pod(0), consent: true })).toMatchObject({ ok: true });
    });

    test("does not run without it", () => {
      const inherited = err(blocked("NoWorkloadPod", "m"));
      expect(mover({ mover: heir, inherited })).toMatchObject({ error: { reason: "NoWorkloadPod" } });
    });

    test("is not missed where only the repository wishes for it, and there is no workload", () => {
      const spec = { ...repository().spec, moverDefaults: heir };
      for (const asked of [{}, { mover: own }])
        expect(settings({ repository: spec, ...asked }).securityContext).toEqual({
          runAsUser: 65534,
          runAsGroup: 65534,
          runAsNonRoot: true,
        });
      expect(settings({ repository: spec, inherited: pod(1000) }).securityContext?.runAsUser).toBe(1000);
    });

    test("is not looked for by root", () => {
      const inherited = err(blocked("NoWorkloadPod", "m"));
      const root = { ...heir, privilegedMode: true };
      expect(settings({ mover: root, inherited, consent: true }).securityContext?.runAsUser).toBe(0);
    });
  });

  test("is root with both consents", () => {
    const { securityContext } = settings({ consent: true, mover: { privilegedMode: true } });
    expect(securityContext).toMatchObject({
      runAsUser: 0,
      runAsNonRoot: false,
      capabilities: { drop: ["ALL"] },
    });
    expect(securityContext?.capabilities?.add).toContain("CHOWN");
  });

  test("the repository may ask for privileges, too", () => {
    const spec = { ...repository().spec, moverDefaults: { privilegedMode: true } };
    expect(settings({ consent: true, repository: spec, mover: own }).securityContext).toMatchObject({
      runAsUser: 0,
    });
    expect(mover({ repository: spec })).toMatchObject({ ok: false });
  });

  test.each<[string, MoverRequest["mover"], string]>([
    ["privilegedMode", { privilegedMode: true }, "PrivilegedMoverForbidden"],
    ["user 0", { ...own, securityContext: { runAsUser: 0 } }, "PrivilegedMoverForbidden"],
    ["a privileged container", { ...own, securityContext: { privileged: true } }, "PrivilegedMoverForbidden"],
    [
      "capabilities",
      { ...own, securityContext: { capabilities: { add: ["SYS_ADMIN"] } } },
      "PrivilegedMoverForbidden",
    ],
    [
      "privileges that another user gets",
      { privilegedMode: true, securityContext: { runAsUser: 5 } },
      "PrivilegedMoverForbidden",
    ],
  ])("refuses %s, with a reason", (_, spec, reason) => {
    expect(mover({ mover: spec })).toMatchObject({ ok: false, error: { class: "structural", reason } });
  });
});
