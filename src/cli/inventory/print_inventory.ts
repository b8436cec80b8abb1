import { isMachinery } from "../../core/view/joined.ts";
import { DaemonSets, Deployments, PersistentVolumeClaims, StatefulSets } from "../../kube/builtin.ts";
import type { Resource } from "../../kube/resource.ts";
import { adoptedObjects, listedWhereServed } from "../adopt/adopted_objects.ts";
import type { Naming } from "../adopt/adoption_plan.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { printedValue } from "../frame/printed.ts";
import { listed } from "../frame/scope.ts";
import { type Column, table } from "../frame/table.ts";
import { type InventoryRow, inventory } from "./inventory.ts";

/** Every PVC with all that a handover to labels has to know of it. */
export async function printInventory(call: Call): Promise<ExitCode> {
  const [claims, objects, ...workloads] = await Promise.all([
    listed(call, PersistentVolumeClaims),
    adoptedObjects(call),
    ...WORKLOADS.map(async (resource) =>
      (await listedWhereServed(call, resource)).map((object) => ({ ...object, kind: resource.kind })),
    ),
  ]);
  const rows = inventory({
    claims: claims.filter((claim) => !isMachinery(claim)),
    objects,
    workloads: workloads.flat(),
    naming: (call.given.text("naming") ?? "bare-dst") as Naming,
  });
  if (await printedValue(call, { volumes: rows })) return EXIT.done;
  for (const line of table(rows, COLUMNS, { paint: call.paint })) call.out(line);
  return EXIT.done;
}

const WORKLOADS = [Deployments, StatefulSets, DaemonSets] as readonly Resource[];

const COLUMNS: readonly Column<InventoryRow>[] = [
  { title: "NAMESPACE", cell: ({ namespace }) => namespace },
  { title: "PVC", cell: ({ pvc }) => pvc },
  { title: "APP", cell: ({ app }) => app || "-" },
  { title: "USED BY", cell: ({ workloads }) => workloads.join(", ") || "-" },
  { title: "OWNER", cell: ({ owner }) => owner },
  { title: "SOURCE", cell: ({ source }) => source },
  { title: "RESTORE", cell: ({ restore }) => restore },
  { title: "REPOSITORY", cell: ({ repository }) => repository || "-" },
  { title: "IDENTITY", cell: ({ backup_identity }) => backup_identity },
  { title: "SIZE", cell: ({ size }) => size || "-" },
  { title: "UID:GID", cell: ({ uid, gid }) => `${uid}:${gid}` },
  { title: "TIER", cell: ({ tier }) => tier || "-" },
  { title: "SCHEDULE", cell: ({ schedule }) => schedule || "-" },
  { title: "LABELS", cell: ({ label_source }) => label_source },
  { title: "MODE", cell: ({ mode }) => mode },
  { title: "RESTORE MODE", cell: ({ restore_mode }) => restore_mode },
];
