import type { Repository, RepositorySpec, RepositoryState } from "../repository/repository.ts";

/** A repository whose list of snapshots is read again and again. */
export interface CatalogRepository extends Repository {
  readonly spec: RepositorySpec & { readonly catalog: CatalogSpec };
  readonly status?: CatalogedState;
}

export interface CatalogSpec {
  readonly enabled: boolean;
  /** How much of the list is shown. */
  readonly retain: { readonly perIdentity: number; readonly maxAgeDays: number };
  readonly refreshInterval: string;
  /** Where snapshots are shown that belong to no namespace which may see them. Default: the operator's. */
  readonly fallbackNamespace?: string;
}

export interface CatalogedState extends RepositoryState {
  readonly catalog?: CatalogState;
}

export interface CatalogState {
  readonly snapshotCount?: number;
  /** Objects that stand for what was found. */
  readonly discoveredBackupCount?: number;
  readonly hiddenSnapshotCount?: number;
  readonly identityCount?: number;
  readonly identities?: readonly {
    readonly identity: string;
    readonly snapshots: number;
    readonly newestAt?: string;
  }[];
  readonly lastRefreshAt?: string;
  readonly nextRefreshAt?: string;
  /** How often in a row it could not be read. */
  readonly failures?: number;
  readonly observedGeneration?: number;
  readonly handledRefreshRequest?: string;
}
