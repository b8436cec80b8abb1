import { HitFiles } from "../hit_files.ts";
import { entryIn, isCutOff, isDamage } from "./maintaining.ts";

/** The entries that kopia calls damaged, from its lines as they come. A name may hold ends of lines itself. */
export class DamagedEntries {
  readonly #files = new HitFiles();
  #found = false;
  /** What was said of an entry so far, as long as its name goes on. */
  #begun: string | undefined;

  /** Whether a line is about one of them. */
  take(line: string): boolean {
    const goesOn = this.#begun !== undefined && !isDamage(line);
    const text = goesOn ? `${this.#begun}\n${line}` : line;
    if (!goesOn) this.#flush();
    this.#begun = undefined;
    if (!isDamage(text)) return false;
    this.#found = true;
    if (isCutOff(text)) this.#begun = text;
    else this.#files.add(entryIn(text));
    return true;
  }

  get found(): boolean {
    return this.#found;
  }

  /** Once kopia has ended. */
  get files(): HitFiles {
    this.#flush();
    return this.#files;
  }

  #flush(): void {
    if (this.#begun !== undefined) this.#files.add(entryIn(this.#begun));
    this.#begun = undefined;
  }
}
