import { readdir } from "node:fs/promises";
import type { Backend } from "../wire/backend.ts";
import { EngineError } from "../wire/engine_error.ts";

/** What lies at the root of each engine's repository, and of no other's. */
const MARKS = { kopia: ["kopia.repository.f", "kopia.repository"], restic: ["config", "keys"] } as const;

type EngineName = keyof typeof MARKS;

/**
 * What went wrong when a repository was opened: where a folder holds one of the other engine, it is not that there is
 * none.
 */
export async function unlessOther(error: unknown, backend: Backend, own: EngineName): Promise<unknown> {
  const isNone = error instanceof EngineError && error.class === "NotARepository";
  if (!isNone || !("filesystem" in backend)) return error;
  const { path } = backend.filesystem;
  return ofOther(path, await readdir(path).catch(() => []), own) ?? error;
}

function ofOther(folder: string, names: readonly string[], own: EngineName): EngineError | undefined {
  const other: EngineName = own === "kopia" ? "restic" : "kopia";
  const marks: readonly string[] = MARKS[other];
  const isOther =
    other === "kopia"
      ? names.some((name) => marks.includes(name))
      : marks.every((mark) => names.includes(mark));
  if (!isOther) return undefined;
  return new EngineError("ForeignData", `${folder} holds a repository of ${other}, and not of ${own}`, {
    remedy: `Set the engine of the repository to ${other}, or choose an empty folder for it.`,
  });
}

/** The error of a folder that is not empty and holds no repository of this engine: it may hold one of the other. */
export function foreignData(folder: string, names: readonly string[], own: EngineName): EngineError {
  const other = ofOther(folder, names, own);
  if (other) return other;
  const some = names.slice(0, 3).join(", ");
  return new EngineError("ForeignData", `${folder} holds ${some}, and is not a repository`);
}
