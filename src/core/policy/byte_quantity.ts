const FACTORS: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Whole bytes of an amount such as `10Mi`, rounded up; undefined for what is no amount of bytes. */
export function byteQuantity(quantity: number | string | undefined): number | undefined {
  const [, number, suffix = "", exponent] =
    /^(\d+(?:\.\d*)?|\.\d+)(?:([kMGTPE]i?|Ki)|[eE](\d+))?$/.exec(String(quantity ?? "")) ?? [];
  const factor = exponent === undefined ? FACTORS[suffix] : 10 ** Number(exponent);
  return number === undefined || factor === undefined ? undefined : Math.ceil(Number(number) * factor);
}

const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/** An amount as Kubernetes writes it: a whole number of the largest unit that leaves at least ten of them. For people see `bytesText`. */
export function quantityText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 10_240 && unit < BINARY.length - 1; unit++) value /= 1024;
  return `${Math.round(value)}${BINARY[unit]}`;
}
