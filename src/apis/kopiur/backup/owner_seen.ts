import type { RunRecord } from "../../../core/work/run_record.ts";
import type { Owner } from "../../../wire/snapshot.ts";
import { moverOver } from "../mover.ts";
import { canBe, namesUser } from "../mover_security.ts";
import type { AnyRepository } from "../references.ts";
import { hasOneUser } from "../rules/repository_user.ts";
import type { Frozen } from "./frozen.ts";

/** The recipe, with the only owner of what an attempt could not read: later ones run as this user. */
export function withOwnerSeen(frozen: Frozen, { owner }: Pick<RunRecord, "owner">): Frozen {
  return owner ? { ...frozen, owner } : frozen;
}

/** Whether the next attempt runs as this user, when it may, and as another one than the last. */
export function canRunAs(
  { recipe, owner: before }: Frozen,
  repository: Pick<AnyRepository, "spec">,
  owner: Owner,
): boolean {
  const isNew = owner.uid !== before?.uid || owner.gid !== before.gid;
  const mover = moverOver(repository.spec.moverDefaults, recipe.mover);
  return isNew && canBe(owner) && !namesUser(mover) && !hasOneUser(repository);
}
