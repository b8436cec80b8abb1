import { execFileSync } from "node:child_process";
import { median } from "./figures.ts";

interface Sides<T> {
  readonly bare: T;
  readonly ours: T;
}

export interface Compared extends Sides<number> {
  readonly ratio: number;
  /** How much longer ours took, in milliseconds. */
  readonly beyond: number;
}

/**
 * The medians of what each side says that it took, and of how the two of a round compare: from round to round a machine
 * and its disk may become slower or faster. Every other round the other one goes first.
 */
export async function inTurn(
  rounds: number,
  sides: Sides<(round: number) => Promise<number>>,
): Promise<Compared> {
  const taken: Sides<number>[] = [];
  for (let round = 0; round < rounds; round++) {
    const ms = { bare: 0, ours: 0 };
    for (const side of round % 2 === 0 ? (["bare", "ours"] as const) : (["ours", "bare"] as const)) {
      execFileSync("sync");
      ms[side] = await sides[side](round);
    }
    taken.push(ms);
  }
  return {
    bare: median(taken.map(({ bare }) => bare)),
    ours: median(taken.map(({ ours }) => ours)),
    ratio: median(taken.map(({ bare, ours }) => ours / bare)),
    beyond: median(taken.map(({ bare, ours }) => ours - bare)),
  };
}
