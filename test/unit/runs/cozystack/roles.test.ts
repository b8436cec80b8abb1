import { expect, test } from "vitest";
import { sampleBackup } from "../../../../src/apis/cozystack/testing/samples.ts";
import { backupResource } from "../../../../src/kinds/cozystack/generated/backup.ts";
import { backupClassResource } from "../../../../src/kinds/cozystack/generated/backup_class.ts";
import { backupJobResource } from "../../../../src/kinds/cozystack/generated/backup_job.ts";
import { planResource } from "../../../../src/kinds/cozystack/generated/plan.ts";
import { restoreJobResource } from "../../../../src/kinds/cozystack/generated/restore_job.ts";
import { volumeResource } from "../../../../src/kinds/cozystack/generated/volume.ts";
import { isForbidden } from "../../../../src/kube/api_error.ts";
import type { HttpClient } from "../../../../src/kube/client/http_client.ts";
import type { Draft, KubeObject } from "../../../../src/kube/object.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import { exampleRules } from "../../../scenarios/cozystack_roles.ts";
import { CozystackWorld, DATABASE, NAMESPACE } from "./cozystack_world.ts";
import { nativeEnds } from "./outsides.ts";

async function create<T extends KubeObject>(
  client: HttpClient,
  resource: Resource<T>,
  name: string,
  spec: object,
): Promise<"made" | "forbidden"> {
  const metadata = { name, ...(resource.namespaced ? { namespace: NAMESPACE } : {}) };
  try {
    await client.create(resource, { metadata, spec } as unknown as Draft<T>);
    return "made";
  } catch (error) {
    if (isForbidden(error)) return "forbidden";
    throw error;
  }
}

test("administrators decide how, tenants plan, back up and restore, and neither does the other's work", async () => {
  await using world = await new CozystackWorld().start();
  const administrator = world.clientWith(exampleRules("backup-administrator"));
  const tenant = world.clientWith([...exampleRules("backup-tenant"), ...exampleRules("backup-operator")]);
  const strategies = [{ strategyRef: { kind: "Volume", name: "volumes" }, application: DATABASE }];
  const strategy = { repository: { kind: "Repository", name: "nas" } };
  const job = { applicationRef: DATABASE, backupClassName: "standard" };
  const plan = { ...job, schedule: { cron: "* * * * *" } };

  expect(await create(tenant, backupClassResource, "standard", { strategies })).toBe("forbidden");
  expect(await create(tenant, volumeResource, "volumes", strategy)).toBe("forbidden");
  expect(await create(tenant, backupResource, "forged", sampleBackup("forged").spec)).toBe("forbidden");
  expect(await create(administrator, planResource, "minutely", plan)).toBe("forbidden");
  expect(await create(administrator, backupClassResource, "standard", { strategies })).toBe("made");
  expect(await create(administrator, volumeResource, "volumes", strategy)).toBe("made");

  expect((await tenant.list(backupClassResource)).items).toHaveLength(1);
  expect(await create(tenant, planResource, "minutely", plan)).toBe("made");
  expect(await create(tenant, backupJobResource, "now", job)).toBe("made");
  const phase = async (resource: typeof backupJobResource | typeof restoreJobResource, name: string) =>
    (
      await tenant.get(resource as Resource<KubeObject & { status?: { phase?: string } }>, {
        namespace: NAMESPACE,
        name,
      })
    ).status?.phase;
  const tick = () => nativeEnds(world, "well");
  await world.until("the backup", async () => (await phase(backupJobResource, "now")) === "Succeeded", tick);
  expect(await create(tenant, restoreJobResource, "again", { backupRef: { name: "now" } })).toBe("made");
  await world.until(
    "the restore",
    async () => (await phase(restoreJobResource, "again")) === "Succeeded",
    tick,
  );
  await world.turns(70, 1_000, tick);
  expect((await tenant.list(backupResource, { namespace: NAMESPACE })).items.length).toBeGreaterThan(1);
  await tenant.delete(planResource, { namespace: NAMESPACE, name: "minutely" });
  await tenant.delete(backupResource, { namespace: NAMESPACE, name: "now" });
  await world.until("the Backup is gone", async () =>
    (await world.all(backupResource)).every(({ metadata }) => metadata.name !== "now"),
  );
});
