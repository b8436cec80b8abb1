import type { Structural } from "../../kube/schema/structural.ts";

/** What a CRD of a Velero server's may lack: its releases got these later, and nothing here depends on them. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  PodVolumeBackup: ["status.incrementalBytes"],
  PodVolumeRestore: ["spec.snapshotSize"],
  BackupStorageLocation: ["spec.objectStorage.caCertRef"],
};

/** What of a kind's schema the CRD of a Velero server has to hold: its objects may lack a spec, and name restic. */
export function neededSchema(kind: string, { required: _, ...schema }: Structural): Structural {
  const later = (LATER[kind] ?? []).map((path) => path.split("."));
  return withRestic(later.reduce(without, schema));
}

function without(schema: Structural, [first = "", ...rest]: readonly string[]): Structural {
  const { [first]: field, ...others } = schema.properties ?? {};
  if (field === undefined) return schema;
  const kept = rest.length === 0 ? {} : { [first]: without(field, rest) };
  return { ...schema, properties: { ...others, ...kept } };
}

function withRestic(schema: Structural): Structural {
  const { spec } = schema.properties ?? {};
  const uploaderType = spec?.properties?.uploaderType;
  if (!uploaderType) return schema;
  const wide = { ...uploaderType, enum: ["kopia", "restic", ""] };
  return {
    ...schema,
    properties: {
      ...schema.properties,
      spec: { ...spec, properties: { ...spec.properties, uploaderType: wide } },
    },
  };
}
