import type { Violation } from "../../../core/reconcile/violation.ts";
import { leadsUpwards } from "../../../core/restore/restored_path.ts";
import type { RestoreSpec } from "../../../kinds/kopiur/generated/restore.ts";
import { CAPABILITIES, type EngineName } from "../../../wire/capabilities.ts";
import type { Fidelity } from "../../../wire/snapshot.ts";

interface Options<K extends keyof RestoreSpec["options"]> {
  readonly options: Pick<RestoreSpec["options"], K>;
}

/** What a restore asks of an engine that the engine does not have. */
export function restoreLimits(
  { options }: Options<"existingFiles" | "enableFileDeletion">,
  engine: EngineName,
): readonly Violation[] {
  const { existing, deleteExtraFiles } = CAPABILITIES[engine];
  const violations: Violation[] = [];
  if (!existing.includes(options.existingFiles)) {
    violations.push({
      reason: "Unsupported",
      field: "spec.options.existingFiles",
      what: `${engine} cannot do existingFiles: ${options.existingFiles}`,
      why: "it has no such way to treat files that are there already",
      fix: `Choose one of ${existing.join(", ")}`,
    });
  }
  if (options.enableFileDeletion && !deleteExtraFiles) {
    violations.push({
      reason: "Unsupported",
      field: "spec.options.enableFileDeletion",
      what: `${engine} cannot delete what the snapshot does not hold`,
      why: "it only ever adds and replaces files",
      fix: "Leave enableFileDeletion out",
    });
  }
  return violations;
}

/** Paths that could lead out of the snapshot, or of the volume. */
export function pathLimits({ options }: Options<"path" | "targetPath">): readonly Violation[] {
  return (["path", "targetPath"] as const)
    .filter((field) => leadsUpwards(options[field] ?? ""))
    .map((field) => ({
      reason: "PathRefused",
      field: `spec.options.${field}`,
      what: `the ${field} ${JSON.stringify(options[field])} cannot be used`,
      why: "it has a part .., which could lead out of the volume",
      fix: "Write it from the root of the volume, such as letters/anna.txt",
    }));
}

/** What a restore asks of this snapshot that the engine can do with those of full fidelity alone. */
export function snapshotLimit(
  { options }: Options<"existingFiles">,
  engine: EngineName,
  fidelity: Fidelity | undefined,
): Violation | undefined {
  const { existingFiles } = options;
  if (fidelity === undefined || fidelity === "Full") return undefined;
  if (!CAPABILITIES[engine].existingNeedingFull.includes(existingFiles)) return undefined;
  return {
    reason: "Unsupported",
    field: "spec.options.existingFiles",
    what: `${engine} cannot do existingFiles: ${existingFiles} with this snapshot`,
    why: `it needs one of full fidelity, and the fidelity of this one is ${fidelity}`,
    fix: "Set existingFiles: Overwrite",
  };
}
