import { KINDS, type KnownKind } from "../../kinds/velero/kinds.ts";
import type { Structural } from "../../kube/schema/structural.ts";

interface AdoptedKind extends KnownKind {
  /** What of the schema is relied on. */
  readonly needed: Structural;
}

/** What a CRD of a Velero server's may lack: its releases got these later, and nothing here depends on them. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  PodVolumeBackup: ["status.incrementalBytes"],
  PodVolumeRestore: ["spec.snapshotSize"],
  BackupStorageLocation: ["spec.objectStorage.caCertRef"],
};

/** The kinds as the CRDs of a Velero server have to have them: its objects may lack a spec, and name restic. */
export const ADOPTED_KINDS: readonly AdoptedKind[] = KINDS.map((kind) => {
  const { required: _, ...schema } = kind.schema;
  const later = (LATER[kind.resource.kind] ?? []).map((path) => path.split("."));
  return { ...kind, needed: withRestic(later.reduce(without, schema)) };
});

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
