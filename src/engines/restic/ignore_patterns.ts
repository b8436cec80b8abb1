import { EngineError } from "../../wire/engine_error.ts";
import type { IgnoreRules } from "../../wire/work.ts";

/**
 * Rules as in .gitignore in the words of restic, which matches them against absolute paths. A rule for folders only
 * (`cache/`) leaves out what is in them and keeps the empty folder: restic cannot tell files and folders apart.
 */
export function ignoreArguments(source: string, { paths = [], files = [], cacheDirs = false }: IgnoreRules) {
  if (files.length > 0) {
    throw new EngineError("Unsupported", "restic does not read ignore files in the data", {
      remedy: "List their patterns as ignored paths, or use kopia.",
    });
  }
  const patterns = paths.filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return [
    ...patterns.flatMap((line) => ["--exclude", resticPattern(source, line)]),
    ...(cacheDirs ? ["--exclude-caches"] : []),
  ];
}

/** One rule in restic's words. */
export function resticPattern(source: string, rule: string): string {
  const negated = rule.startsWith("!");
  const body = negated ? rule.slice(1) : rule;
  const foldersOnly = body.endsWith("/");
  const path = foldersOnly ? body.slice(0, -1) : body;
  const anchored = path.includes("/");
  const place = anchored ? `${escapeGlob(source)}/${path.replace(/^\/+/, "")}` : path;
  return `${negated ? "!" : ""}${place}${foldersOnly ? "/*" : ""}`;
}

/** The text as a pattern that matches itself alone. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, (letter) => `\\${letter}`);
}
