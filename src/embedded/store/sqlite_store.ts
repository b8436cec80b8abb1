import { MemoryStore, type MemoryStoreOptions } from "./memory_store.ts";
import { SqliteJournal } from "./sqlite_journal.ts";

export interface SqliteStoreOptions extends Omit<MemoryStoreOptions, "journal"> {
  /** Made when it is not there. */
  readonly folder: string;
}

/** A store whose acknowledged writes survive a kill at any moment. Throws StateFolderError. */
export function openSqliteStore(options: SqliteStoreOptions): MemoryStore {
  const { folder, ...rest } = options;
  return new MemoryStore({ ...rest, journal: new SqliteJournal(folder) });
}
