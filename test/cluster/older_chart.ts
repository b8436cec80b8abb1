import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { resourceName } from "../../src/kube/resource.ts";

interface Definition {
  readonly spec: {
    readonly versions: readonly [
      {
        readonly schema: {
          readonly openAPIV3Schema: {
            readonly properties: { readonly status: { readonly properties: Record<string, unknown> } };
          };
        };
      },
    ];
  };
}

/** The fields of a Backup's status, as a CRD knows them. */
export function statusFields(definition: unknown): Record<string, unknown> {
  return (definition as Definition).spec.versions[0].schema.openAPIV3Schema.properties.status.properties;
}

/** Copies the chart to a folder as an earlier release might have been: its Backups have no such field of the status. */
export function olderChart(chart: string, folder: string, without: string): string {
  cpSync(chart, folder, { recursive: true });
  const file = join(folder, "files/crds/kopiur", `${resourceName(backupResource)}.yaml`);
  const definition: unknown = parse(readFileSync(file, "utf8"));
  delete statusFields(definition)[without];
  writeFileSync(file, stringify(definition));
  return folder;
}
