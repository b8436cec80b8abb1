import type { Output } from "./command.ts";

/** What was given on the command line, after it was held against the command's table. */
export class Given {
  /** The words after the command's name. */
  readonly words: readonly string[];
  readonly #options: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

  constructor(
    words: readonly string[],
    options: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>,
  ) {
    this.words = words;
    this.#options = options;
  }

  /** The same, with other words, and more options. */
  with(words: readonly string[], options: Readonly<Record<string, string | boolean>>): Given {
    return new Given(words, { ...this.#options, ...options });
  }

  /** The word at a place that the table says is there. */
  word(index: number): string {
    return this.words[index] ?? "";
  }

  text(option: string): string | undefined {
    const value = this.#options[option];
    return typeof value === "string" ? value : undefined;
  }

  texts(option: string): readonly string[] {
    const value = this.#options[option];
    return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
  }

  flag(option: string): boolean {
    return this.#options[option] === true;
  }

  get output(): Output | undefined {
    return this.text("output") as Output | undefined;
  }
}
