/** Chance as a port: handed in, so that a run can be repeated from its seed. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** `length` bytes as lowercase hex, for identifiers. Not for keys. */
  hex(length: number): string;
}

export const systemRandom: Random = {
  next: () => Math.random(),
  hex: (length) => Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString("hex"),
};

/** A repeatable source (mulberry32): the same seed gives the same sequence on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    hex: (length) =>
      Array.from({ length }, () =>
        Math.floor(next() * 256)
          .toString(16)
          .padStart(2, "0"),
      ).join(""),
  };
}
