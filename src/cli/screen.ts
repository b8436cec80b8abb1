/** Where text for people goes. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string | Uint8Array): unknown;
}

/** Lines, and one line below them that changes: on a terminal it is written over, elsewhere only its last form stays. */
export class Screen {
  readonly #output: Output;
  #shown = false;

  constructor(output: Output) {
    this.#output = output;
  }

  line(text: string): void {
    this.clear();
    this.#output.write(`${text}\n`);
  }

  /** Replaces the changing line. */
  show(text: string): void {
    if (!this.#output.isTTY) return;
    this.clear();
    this.#output.write(text);
    this.#shown = true;
  }

  /** Takes the changing line away. */
  clear(): void {
    if (this.#shown) this.#output.write("\r\u001b[2K");
    this.#shown = false;
  }
}
