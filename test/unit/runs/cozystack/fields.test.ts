import { expect, test } from "vitest";
import { backupResource } from "../../../../src/kinds/cozystack/generated/backup.ts";
import { backupClassResource } from "../../../../src/kinds/cozystack/generated/backup_class.ts";
import { backupJobResource } from "../../../../src/kinds/cozystack/generated/backup_job.ts";
import { jobResource } from "../../../../src/kinds/cozystack/generated/job.ts";
import { planResource } from "../../../../src/kinds/cozystack/generated/plan.ts";
import { restoreJobResource } from "../../../../src/kinds/cozystack/generated/restore_job.ts";
import { GROUP } from "../../../../src/kinds/cozystack/group.ts";
import { KINDS } from "../../../../src/kinds/cozystack/kinds.ts";
import type { Structural } from "../../../../src/kube/schema/structural.ts";
import { isRecord } from "../../../../src/lib/json.ts";
import { CozystackWorld, DATABASE, DUMP, NAMESPACE } from "./cozystack_world.ts";
import { type Outside, podsEnd } from "./outsides.ts";

const HOUR = 3_600_000;
const CORE = KINDS.filter(({ resource }) => resource.group === GROUP);

/** Every field below a schema; what may have any name counts as one. */
function fieldsOf(schema: Structural, path: string): readonly string[] {
  if (schema.items) return fieldsOf(schema.items, path);
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return [path];
  return properties.flatMap(([name, child]) => fieldsOf(child, `${path}.${name}`));
}

/** Every field of a value that has one; maps of any names are cut by what the schema knows. */
function valuesOf(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOf(item, path));
  if (!isRecord(value)) return value === undefined ? [] : [path];
  return [path, ...Object.entries(value).flatMap(([name, item]) => valuesOf(item, `${path}.${name}`))];
}

test("every field of Plans, classes, jobs and Backups gets a value in the life of one application", async () => {
  await using world = await new CozystackWorld().start();
  const seen = new Set<string>();
  let how: Outside = "well";
  const look = async () => {
    await podsEnd(world, how);
    for (const { resource } of CORE) {
      for (const object of await world.all(resource)) {
        const { spec, status } = object as { readonly spec?: unknown; readonly status?: unknown };
        for (const path of [...valuesOf(spec, "spec"), ...valuesOf(status, "status")]) {
          seen.add(`${resource.kind} ${path}`);
        }
      }
    }
  };
  const anHour = async () => {
    await world.turns(1, HOUR - 8_000, look);
    await world.turns(8, 1_000, look);
  };

  const artifact = { uri: "s3://dumps/{{ .Backup.metadata.name }}" };
  await world.create(jobResource, "dumps", { template: DUMP, deleteTemplate: DUMP, artifact });
  const strategyRef = { apiGroup: "strategy.backups.cozystack.io", kind: "Job", name: "dumps" };
  const strategies = [{ strategyRef, application: DATABASE, parameters: { level: "full" } }];
  await world.create(backupClassResource, "standard", {
    strategies: strategies.map(({ application: { apiGroup, kind }, ...one }) => ({
      ...one,
      application: { apiGroup, kind },
    })),
  });
  const retention = {
    ...{ keepLatest: 1, keepHourly: 1, keepDaily: 1 },
    ...{ keepWeekly: 1, keepMonthly: 1, keepAnnual: 1 },
  };
  await world.create(planResource, "hourly", {
    applicationRef: DATABASE,
    backupClassName: "standard",
    schedule: { type: "cron", cron: "0 * * * *", timezone: "UTC" },
    startingDeadlineSeconds: 600,
    retention,
  });
  await anHour();
  await anHour();
  // One that takes longer than an hour: the next is skipped.
  how = "waits";
  await anHour();
  await anHour();
  how = "well";
  await anHour();
  const [backup] = await world.all(backupResource);
  const name = backup?.metadata.name ?? "";
  await world.create(restoreJobResource, "again", {
    backupRef: { name },
    targetApplicationRef: DATABASE,
    targetNamespace: NAMESPACE,
  });
  await world.turns(8, 1_000, look);
  how = "badly";
  await world.client.delete(backupResource, { namespace: NAMESPACE, name });
  await world.turns(8, 1_000, look);

  const known = CORE.flatMap(({ resource, schema }) =>
    ["spec", "status"].flatMap((part) => {
      const child = schema.properties?.[part];
      return child ? fieldsOf(child, part).map((path) => `${resource.kind} ${path}`) : [];
    }),
  );
  expect(known.length).toBeGreaterThan(100);
  expect(known.filter((path) => !seen.has(path))).toEqual([]);
  expect((await world.all(backupJobResource)).length).toBeGreaterThan(0);
});
