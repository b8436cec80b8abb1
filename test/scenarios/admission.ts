import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AdmissionCase } from "../../src/apis/kopiur/admission/testing/admission_case.ts";
import { admissionCases } from "../../src/apis/kopiur/admission/testing/cases.ts";
import { HOME } from "../../src/apis/kopiur/admission/testing/manifests.ts";
import { trialCases } from "../../src/apis/kopiur/admission/testing/trial_cases.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { may } from "../../src/kube/admission/access_review.ts";
import { PersistentVolumeClaims, Secrets, StorageClasses } from "../../src/kube/builtin.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { messageOf } from "../../src/lib/result.ts";
import { AdmissionStage } from "./admission_stage.ts";
import { type AdmissionGround, AdmissionWorld } from "./admission_world.ts";

/** Every case of admission as a test, against an API server that asks the webhooks. */
export function admissionScenarios(
  open: () => Promise<AdmissionGround>,
  options: { /** The API server knows users apart. */ readonly hasRights: boolean },
): void {
  let world: AdmissionWorld;
  const patience = 120_000;

  beforeAll(async () => {
    world = await AdmissionWorld.open(await open());
    await AdmissionStage.untilAsked(world);
  }, patience);

  afterAll(() => world?.[Symbol.asyncDispose](), patience);

  describe.each([...admissionCases, { kind: "pod of a kind", cases: trialCases }])("a $kind", ({ cases }) => {
    test.each(cases.filter(({ refused }) => refused === undefined))("is taken: $name", async (given) => {
      await using stage = new AdmissionStage(world);
      const { warnings, object, refused } = await stage.play(world.named(given));
      expect(refused).toBeUndefined();
      expect(warnings).toEqual(shown(world.named(given.warnings ?? [])));
      if (given.stored) expect(object).toMatchObject(world.named(given.stored));
    });

    test.each(cases.filter(({ refused }) => refused !== undefined))("is refused: $name", async (given) => {
      await using stage = new AdmissionStage(world);
      const { refused } = await stage.play(world.named(given));
      expect(refused).toContain(`denied the request: ${world.named(given.refused)}`);
    });
  });

  test("what is being deleted gets away, whatever is wrong with it", async () => {
    await using stage = new AdmissionStage(world);
    const found: AdmissionCase = {
      name: "",
      object: { kind: "Backup", namespace: HOME, name: "found", spec: {} },
      author: "operator",
    };
    await stage.play(world.named(found));
    world.author = "stranger";
    const name = { namespace: world.named(HOME), name: "found" };
    await stage.remove("Backup", name);
    expect(await stage.present("Backup", name)).toBe(false);
  });

  test("a claim of a Restore is refused where its provisioner would leave it empty, and no other claim", async () => {
    const { client, labels } = world;
    const storageClassName = `ignorant-${systemRandom.hex(4)}`;
    const metadata = { name: storageClassName };
    await client.create(StorageClasses, { metadata, provisioner: "example.com/ignorant" });
    const { group: apiGroup, kind } = restoreResource;
    const claim = (more: object) => ({
      metadata: { namespace: world.named(HOME), name: storageClassName, labels },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Mi" } },
        storageClassName,
        ...more,
      },
    });
    const refusal = () =>
      client
        .create(PersistentVolumeClaims, claim({ dataSourceRef: { apiGroup, kind, name: "again" } }), {
          dryRun: true,
        })
        .then(() => "taken", messageOf);
    await expect.poll(refusal, { timeout: 30_000 }).toContain("empty volume");
    await client.create(PersistentVolumeClaims, claim({}), { dryRun: true });
    await client.delete(StorageClasses, metadata);
  });

  test.runIf(options.hasRights)("the API server is asked who may get what", async () => {
    const author = { username: "nobody-of-the-cases", uid: "", groups: ["system:authenticated"] };
    const place = { namespace: world.named(HOME), name: "creds" };
    const question = { author, resource: Secrets, ...place };
    expect(await may(world.client, question, {})).toBe(false);
    const admin = { ...question, author: { ...author, groups: ["system:masters"] } };
    expect(await may(world.client, admin, {})).toBe(true);
  });
}

/** The API server cuts what is longer. */
function shown(warnings: readonly string[]): readonly string[] {
  return warnings.map((text) => (text.length <= 256 ? text : `${text.slice(0, 255)}…`));
}
