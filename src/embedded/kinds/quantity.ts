/** An amount as Kubernetes writes it. `10Gi` and `10240Mi` are one amount in two ways of writing. */
export interface Quantity {
  /** Thousandths of the unit: the API server rounds up to them. */
  readonly millis: bigint;
  readonly format: "binary" | "decimal" | "exponent";
}

const MILLI = 1000n;
const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/** By how many powers of a thousand each is away from the unit. */
const DECIMAL: Readonly<Record<string, number>> = {
  n: -3,
  u: -2,
  m: -1,
  "": 0,
  k: 1,
  M: 2,
  G: 3,
  T: 4,
  P: 5,
  E: 6,
};

/** Undefined for a text that is no quantity. */
export function parseQuantity(text: string): Quantity | undefined {
  const [, sign, whole = "", fraction = "", suffix = ""] =
    /^([+-]?)(\d*)(?:\.(\d*))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/.exec(text) ?? [];
  if (whole + fraction === "") return undefined;
  const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  const scaled = (numerator: bigint, denominator: bigint) =>
    roundUp(digits * numerator * MILLI, denominator * 10n ** BigInt(fraction.length));
  const binary = BINARY.indexOf(suffix);
  if (binary > 0) return { millis: scaled(1024n ** BigInt(binary), 1n), format: "binary" };
  const thousands = DECIMAL[suffix];
  const exponent = thousands === undefined ? Number(suffix.slice(1)) : 3 * thousands;
  if (Math.abs(exponent) > 1000) return undefined;
  const power = 10n ** BigInt(Math.abs(exponent));
  return {
    millis: exponent < 0 ? scaled(1n, power) : scaled(power, 1n),
    format: thousands === undefined ? "exponent" : "decimal",
  };
}

function roundUp(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  if (numerator % denominator === 0n) return quotient;
  return numerator > 0n ? quotient + 1n : quotient - 1n;
}

/** The one way to write an amount: the largest unit that leaves a whole number. */
export function formatQuantity({ millis, format }: Quantity): string {
  if (millis === 0n) return "0";
  if (format === "binary" && millis % MILLI === 0n) {
    let [value, unit] = [millis / MILLI, 0];
    // Below one Ki the API server writes plain numbers in thousands.
    if (abs(value) >= 1024n) {
      for (; value % 1024n === 0n && unit < BINARY.length - 1; unit++) value /= 1024n;
      return `${value}${BINARY[unit]}`;
    }
  }
  let [value, thousands] = [millis, -1];
  for (; value % 1000n === 0n && (thousands < 6 || format === "exponent"); thousands++) value /= 1000n;
  if (format === "exponent") return thousands === 0 ? `${value}` : `${value}e${3 * thousands}`;
  const unit = Object.entries(DECIMAL).find(([, power]) => power === thousands)?.[0] ?? "";
  return `${value}${unit}`;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Less than zero, zero or more, as for sorting. What is no quantity counts as zero. */
export function compareQuantities(a: unknown, b: unknown): number {
  const millis = (value: unknown) => parseQuantity(String(value))?.millis ?? 0n;
  const [left, right] = [millis(a), millis(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
