import type { Clock } from "../lib/clock.ts";
import { shownText } from "./frame/shown_text.ts";

/** Where text for people goes. */
export interface Output {
  readonly isTTY?: boolean;
  /** How wide a terminal is. */
  readonly columns?: number;
  write(text: string | Uint8Array): unknown;
}

/** Where nothing can be written over, the changing line is a line of its own after so many milliseconds of silence. */
const SILENCE = 30_000;

/** What commands tell how they get on with. */
export type ShownLines = Pick<Screen, "columns" | "line" | "show" | "clear">;

/** Lines, and one line below them that changes: on a terminal it is written over, elsewhere it is told now and then. */
export class Screen {
  readonly #output: Output;
  readonly #clock: Pick<Clock, "monotonic"> | undefined;
  #shown = false;
  #saidAt: number;

  /** Without a clock the changing line is for terminals alone. */
  constructor(output: Output, clock?: Pick<Clock, "monotonic">) {
    this.#output = output;
    this.#clock = clock;
    this.#saidAt = clock?.monotonic() ?? 0;
  }

  /** How long the changing line may be: with one character more, terminals begin another. Zero where none is written over. */
  get columns(): number {
    const { isTTY, columns } = this.#output;
    return isTTY ? (columns || Number.POSITIVE_INFINITY) - 1 : 0;
  }

  line(text: string): void {
    this.clear();
    this.#output.write(`${shownText(text)}\n`);
    this.#saidAt = this.#clock?.monotonic() ?? 0;
  }

  /** Replaces the changing line. */
  show(text: string): void {
    const flat = text.replaceAll("\n", " ");
    if (!this.#output.isTTY) {
      if (this.#clock && this.#clock.monotonic() - this.#saidAt >= SILENCE) this.line(flat);
      return;
    }
    this.clear();
    this.#output.write(cut(shownText(flat), this.columns));
    this.#shown = true;
  }

  /** Takes the changing line away. */
  clear(): void {
    if (this.#shown) this.#output.write("\r\u001b[2K");
    this.#shown = false;
  }
}

function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, Math.max(0, most - 1)).join("")}…`;
}
