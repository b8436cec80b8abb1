import { EngineError } from "../../wire/engine_error.ts";
import type { Loss, Owner } from "../../wire/snapshot.ts";
import type { RestoreOptions } from "../engine.ts";
import type { FidelityProgram, Refusals } from "../fidelity/fidelity_program.ts";
import { targetErrorClass } from "../target_error.ts";
import type { Manifest } from "./manifest.ts";

const WHAT = "restoring";

/** Stand for "whoever it was" when the owners were not recorded: only someone who may give files to both may to all. */
const ANY_OWNERS: readonly Owner[] = [
  { uid: 0, gid: 0 },
  { uid: 65_533, gid: 65_533 },
];

export interface RightsOptions extends Pick<RestoreOptions, "target" | "ownership" | "signal"> {
  /** Attributes are restored, too. */
  readonly full: boolean;
}

/** Tries what will have to be set, before anything is written. */
export async function checkRights(
  fidelity: FidelityProgram,
  manifest: Manifest,
  { target, ownership = "Exact", signal, full }: RightsOptions,
): Promise<Refusals> {
  if (ownership === "Exact" && !full && manifest.note?.fidelity === "Full") {
    const why = "the record of what kopia does not keep is gone, and nothing is as it was without it";
    throw new EngineError("Unsupported", `${WHAT}: ${why}`, {
      remedy:
        "Pick another snapshot, or accept the loss with ownership: BestEffort, which counts what does not come back.",
    });
  }
  const owners = ownership === "Skip" ? [] : (manifest.note?.owners ?? ANY_OWNERS);
  const attributes = ownership === "Exact" && full ? (manifest.note?.attributes ?? []) : [];
  const refusals = await fidelity.probe(target, { owners, attributes }, signal);
  if (refusals.unwritable !== undefined) {
    const errorClass = targetErrorClass(refusals.unwritable) ?? "TargetNotWritable";
    throw new EngineError(errorClass, `${WHAT}: ${target} cannot be written: ${refusals.unwritable}`);
  }
  if (ownership === "Exact") refuse(manifest, refusals);
  return refusals;
}

function refuse(manifest: Manifest, { owners, attributes }: Refusals): void {
  if (owners.length > 0) {
    const named = owners
      .slice(0, 5)
      .map(({ uid, gid }) => `${uid}:${gid}`)
      .join(", ");
    const more = owners.length > 5 ? ` and ${owners.length - 5} more` : "";
    const why = manifest.note?.owners
      ? `files belong to ${named}${more}, and the mover may not give them to these users`
      : "the owners of the files were not recorded, and the mover may not give files to other users";
    throw new EngineError("PrivilegesNeeded", `${WHAT}: ${why}`);
  }
  const [first] = attributes;
  if (!first) return;
  const names = attributes.map(({ kind }) => ATTRIBUTE_NAMES[kind] ?? kind).join(", ");
  throw new EngineError(
    "PrivilegesNeeded",
    `${WHAT}: the mover cannot set ${names} in the target: ${first.reason}`,
  );
}

const ATTRIBUTE_NAMES: Readonly<Record<string, string>> = {
  user: "extended attributes",
  trusted: "extended attributes of trusted or security",
  acl: "access control lists",
  capability: "file capabilities",
};

/** What a restore without a companion does not bring back. */
export function ownerLosses(
  manifest: Manifest,
  refusals: Refusals,
  { ownership = "Exact" }: Pick<RestoreOptions, "ownership">,
): readonly Loss[] {
  if (ownership !== "BestEffort" || refusals.owners.length === 0) return [];
  const count = manifest.files + manifest.folders;
  return [
    {
      kind: "Owner",
      count,
      examples: [],
      reason: "the mover may not give files to their owners; at most so many",
    },
  ];
}
