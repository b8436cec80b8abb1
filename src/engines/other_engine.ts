import { EngineError } from "../wire/engine_error.ts";

/** What lies at the root of each engine's repository, and of no other's. */
const MARKS = { kopia: ["kopia.repository.f", "kopia.repository"], restic: ["config", "keys"] } as const;

type EngineName = keyof typeof MARKS;

/** The error of a folder that is not empty and holds no repository of this engine: it may hold one of the other. */
export function foreignData(folder: string, names: readonly string[], own: EngineName): EngineError {
  const other: EngineName = own === "kopia" ? "restic" : "kopia";
  const marks: readonly string[] = MARKS[other];
  const isOther =
    other === "kopia"
      ? names.some((name) => marks.includes(name))
      : marks.every((mark) => names.includes(mark));
  if (isOther)
    return new EngineError("ForeignData", `${folder} holds a repository of ${other}, and not of ${own}`, {
      remedy: `Set the engine of the repository to ${other}, or choose an empty folder for it.`,
    });
  const some = names.slice(0, 3).join(", ");
  return new EngineError("ForeignData", `${folder} holds ${some}, and is not a repository`);
}
