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
