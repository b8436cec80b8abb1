import type { BackupRepository } from "../../../kinds/velero/generated/backup_repository.ts";
import type { RepositoryType } from "./storage_of.ts";

/** What is wanted of the repositories of a namespace. */
export interface RepositoryQuestion {
  readonly volumeNamespace: string;
  readonly location: string;
  readonly type: RepositoryType;
}

export type FoundRepository =
  | { readonly type: "Found"; readonly object: BackupRepository }
  | { readonly type: "Missing"; readonly question: RepositoryQuestion }
  | { readonly type: "Several"; readonly names: readonly string[] };

/** The repository that holds the volumes of a namespace in a location, among those of the location's namespace. */
export function findRepository(
  repositories: Iterable<BackupRepository>,
  question: RepositoryQuestion,
): FoundRepository {
  const found = [...repositories].filter(
    ({ spec, metadata }) =>
      spec?.volumeNamespace === question.volumeNamespace &&
      spec.backupStorageLocation === question.location &&
      // Before kopia came, nobody wrote it down.
      (spec.repositoryType || "restic") === question.type &&
      !metadata.deletionTimestamp,
  );
  const [object] = found;
  if (!object) return { type: "Missing", question };
  if (found.length > 1) return { type: "Several", names: found.map(({ metadata }) => metadata.name) };
  return { type: "Found", object };
}

/** Why a repository cannot be used; `fatal` where waiting does not help. */
export function repositoryProblem(
  found: FoundRepository,
): { readonly message: string; readonly fatal: boolean } | undefined {
  switch (found.type) {
    case "Missing": {
      const { volumeNamespace, location } = found.question;
      const message = `There is no BackupRepository for namespace ${volumeNamespace} in BackupStorageLocation ${location} yet.`;
      return { message, fatal: false };
    }
    case "Several":
      return {
        message: `Several BackupRepositories are for the same namespace and location: ${found.names.join(", ")}. Delete all but one.`,
        fatal: true,
      };
    case "Found": {
      const { metadata, status } = found.object;
      if (status?.phase === "Ready") return undefined;
      const fatal = status?.phase === "NotReady";
      const why = status?.message ? `: ${status.message}` : fatal ? "." : " yet.";
      return { message: `BackupRepository ${metadata.name} is not ready${why}`, fatal };
    }
  }
}
