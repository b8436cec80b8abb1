import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import { isNamed } from "../restore/recipe_backups.ts";

/** One snapshot of a Backup. */
export type BackupSnapshot = NonNullable<NonNullable<Backup["status"]>["snapshot"]>;

/** The snapshot of a Backup that is meant. Throws a CommandProblem where there is none, or several could be. */
export function chosenSnapshot(backup: Backup, claim: string | undefined): BackupSnapshot {
  const { name } = backup.metadata;
  const { snapshots = [], phase } = backup.status ?? {};
  if (snapshots.length === 0) {
    throw new CommandProblem(`Backup ${name} holds no snapshot`, {
      why: `It is ${phase ?? "Pending"}.`,
      fix: "holdfast list backups shows which have succeeded.",
    });
  }
  const named = snapshots.filter(({ pvc, identity: { sourcePath } }) => isNamed({ pvc, sourcePath }, claim));
  const [only] = named;
  if (only && named.length === 1) return only;
  const all = snapshots.map(({ pvc, identity }) => pvc?.split("/")[1] ?? identity.sourcePath).join(", ");
  throw new CommandProblem(
    claim === undefined ? `Backup ${name} is of several volumes` : `Backup ${name} is of no volume ${claim}`,
    {
      why: `It is of ${all}.`,
      fix: "Name one with --pvc.",
      code: claim === undefined || named.length > 1 ? EXIT.usage : EXIT.notFound,
    },
  );
}
