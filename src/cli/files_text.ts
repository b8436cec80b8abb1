/** A number of files for people: `1 file`, `2 files`. */
export function filesText(files: number): string {
  return `${files} ${files === 1 ? "file" : "files"}`;
}
