import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { messageOf } from "../../lib/result.ts";
import { type Journal, JournalError, type Saved } from "./journal.ts";
import { MemoryStore, type MemoryStoreOptions } from "./memory_store.ts";
import type { Change, Stored, StoreKey } from "./store.ts";

export interface SqliteStoreOptions extends Omit<MemoryStoreOptions, "journal"> {
  /** Made when it is not there. */
  readonly folder: string;
}

/** A store whose acknowledged writes survive a kill at any moment. Throws StateFolderError. */
export function openSqliteStore(options: SqliteStoreOptions): MemoryStore {
  const { folder, ...rest } = options;
  return new MemoryStore({ ...rest, journal: new SqliteJournal(folder) });
}

/** The folder that keeps the state cannot be used as it is. The message says why, and what to do. */
export class StateFolderError extends Error {
  override name = "StateFolderError";
}

/** Counts up whenever the tables, or the meaning of what is in them, change. */
const STATE_VERSION = 1;

const TABLES = `
  CREATE TABLE objects (
    resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, object TEXT NOT NULL,
    PRIMARY KEY (resource, namespace, name)
  ) STRICT;
  CREATE TABLE latest (revision INTEGER NOT NULL) STRICT;
  INSERT INTO latest VALUES (0);
  PRAGMA user_version = ${STATE_VERSION};
`;

// SQLite's result codes.
const BUSY = 5;
const FULL = 13;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** A journal in a state folder: the current objects, in SQLite. One process at a time holds it. */
export class SqliteJournal implements Journal {
  readonly #folder: string;
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #advance: StatementSync;

  /** Creates the folder when it is not there. Throws StateFolderError. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#database = open(folder);
    this.#put = this.#database.prepare(
      "INSERT INTO objects VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET object = excluded.object",
    );
    this.#delete = this.#database.prepare(
      "DELETE FROM objects WHERE resource = ? AND namespace = ? AND name = ?",
    );
    this.#advance = this.#database.prepare("UPDATE latest SET revision = ?");
  }

  load(): Saved {
    try {
      const { revision } = this.#database.prepare("SELECT revision FROM latest").get() as {
        revision: number;
      };
      const rows = this.#database.prepare("SELECT * FROM objects").iterate() as unknown;
      return { revision, objects: Array.from(rows as Iterable<Row>, saved) };
    } catch (cause) {
      this.close();
      throw new StateFolderError(`the state folder ${this.#folder} ${refusal(cause)}`, { cause });
    }
  }

  append(changes: readonly Change[]): void {
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const { type, key, object } of changes) {
        if (type === "DELETED") this.#delete.run(key.resource, key.namespace, key.name);
        else this.#put.run(key.resource, key.namespace, key.name, JSON.stringify(object));
      }
      this.#advance.run(changes.at(-1)?.revision ?? 0);
      this.#database.exec("COMMIT");
    } catch (cause) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw new JournalError(
        resultCode(cause) === FULL
          ? `the disk of the state folder ${this.#folder} is full: nothing was written; free some space and try again`
          : `the state folder ${this.#folder} could not be written: ${messageOf(cause)}; nothing was changed`,
        { cause },
      );
    }
  }

  close(): void {
    this.#database.close();
  }
}

interface Row extends StoreKey {
  readonly object: string;
}

function saved(row: Row): { readonly key: StoreKey; readonly object: Stored } {
  const { resource, namespace, name, object } = row;
  return { key: { resource, namespace, name }, object: JSON.parse(object) as Stored };
}

function open(folder: string): DatabaseSync {
  const path = join(folder, "state.sqlite");
  const holder = join(folder, "holder.pid");
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Secrets are in it. (Not opened when it is there: closing it would end the locks of this process on it.)
    if (!existsSync(path)) writeFileSync(path, "", { mode: 0o600, flag: "a" });
    database = new DatabaseSync(path);
    // The kernel ends the lock with the process, however it ends. The pid is only for the message.
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    database.exec("BEGIN IMMEDIATE");
    prepareTables(database, folder);
    database.exec("COMMIT");
    writeFileSync(holder, `${process.pid}\n`);
    return database;
  } catch (cause) {
    database?.close();
    if (cause instanceof StateFolderError) throw cause;
    throw new StateFolderError(`the state folder ${folder} ${refusal(cause, holder)}`, { cause });
  }
}

function prepareTables(database: DatabaseSync, folder: string): void {
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  const { tables } = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() as {
    tables: number;
  };
  if (version === STATE_VERSION) return;
  if (version === 0 && tables === 0) {
    database.exec(TABLES);
    return;
  }
  const [age, remedy] =
    version > STATE_VERSION
      ? ["a newer", "start the version that wrote it"]
      : ["an older", "start the version that wrote it and take your objects out with kubectl"];
  throw new StateFolderError(
    `the state folder ${folder} was written by ${age} version of this program (its state has version ${version}, ` +
      `this program reads ${STATE_VERSION}): ${remedy}, or choose another folder`,
  );
}

function refusal(cause: unknown, holder = ""): string {
  switch (resultCode(cause)) {
    case BUSY:
      return `is in use by ${otherProcess(holder)}: stop that first, or choose another folder`;
    case FULL:
      return "is on a full disk: free some space and start again";
    case CORRUPT:
    case NOT_A_DATABASE:
      return "holds a damaged state.sqlite: put a copy of it back, or choose another folder";
    default:
      return `cannot be used: ${messageOf(cause)}`;
  }
}

function otherProcess(holder: string): string {
  try {
    return `process ${Number.parseInt(readFileSync(holder, "utf8"), 10)}`;
  } catch {
    return "another process";
  }
}

/** SQLite's primary result code, when the error is one of its. */
function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}
