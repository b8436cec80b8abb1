import { countText } from "./count_text.ts";

/** A number of files for people: `1 file`, `2 files`. */
export function filesText(files: number): string {
  return countText(files, "file");
}
