const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A word as a POSIX shell takes it. */
function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The line that does the same in a terminal. Without a namespace: in all of them. */
export function commandLine(words: readonly string[], namespace?: string, all = false): string {
  const where = namespace !== undefined && namespace !== "" ? ["-n", namespace] : all ? ["-A"] : [];
  return ["holdfast", ...words, ...where].map(quoted).join(" ");
}

/** The same, as YAML: of a restore, the plan's object, and nothing is restored. Undefined where the command tells sentences alone. */
export function yamlWords(words: readonly string[]): readonly string[] | undefined {
  const [command] = words;
  if (command === "explain") return undefined;
  return [...words, ...(command === "restore" ? ["--dry-run"] : []), "-o", "yaml"];
}
