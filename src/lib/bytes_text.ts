const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** An amount for people: `12 B`, `3.4 MiB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}
