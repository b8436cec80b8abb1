/** The address ranges of one cluster, all within one /16 of 10.0.0.0/8. */
export interface Addresses {
  readonly range: string;
  /** The host, as the node and its pods see it. */
  readonly host: string;
  readonly node: string;
  readonly pods: string;
  readonly services: string;
  /** The Service of the API server itself, which always is the first of the range. */
  readonly firstService: string;
}

/** No /16 is left that nothing on the machine uses. */
export class NoFreeRange extends Error {
  override name = "NoFreeRange";
}

export function addressesOf(second: number): Addresses {
  return {
    range: `10.${second}.0.0/16`,
    host: `10.${second}.0.1`,
    node: `10.${second}.0.2`,
    pods: `10.${second}.64.0/18`,
    services: `10.${second}.128.0/17`,
    firstService: `10.${second}.128.1`,
  };
}

/** Addresses that overlap none of the ranges in use; the same `seed` prefers the same ones. */
export function chooseAddresses(inUse: readonly string[], seed: number): Addresses {
  for (let i = 0; i < 256; i++) {
    const candidate = addressesOf((seed + i) % 256);
    if (!inUse.some((range) => overlaps(range, candidate.range))) return candidate;
  }
  throw new NoFreeRange(
    "every 10.x.0.0/16 overlaps a route or an address of this machine: take a cluster down",
  );
}

/** Whether two IPv4 ranges (`10.1.0.0/16`; a bare address is a range of one) share an address. */
export function overlaps(a: string, b: string): boolean {
  const left = parse(a);
  const right = parse(b);
  const shift = 32n - BigInt(Math.min(left.bits, right.bits));
  return left.address >> shift === right.address >> shift;
}

function parse(range: string): { readonly address: bigint; readonly bits: number } {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)(?:\/(\d+))?$/.exec(range);
  const parts = match?.slice(1, 5).map(Number) ?? [];
  const bits = Number(match?.[5] ?? 32);
  if (!match || bits > 32 || parts.some((part) => part > 255))
    throw new TypeError(`${range} is not an IPv4 range`);
  return { address: parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n), bits };
}
