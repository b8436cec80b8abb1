/** How far a run is, from the line that the command line shows. */
export interface LiveProgress {
  readonly percent?: number;
  /** Such as `1.2 GiB in 30 files of 3.0 GiB`. */
  readonly amount: string;
  readonly rate?: string;
  readonly left?: string;
}

export function progressFrom(line: string): LiveProgress {
  const text = line.replace(/[█░]+/g, "").trim();
  const [, percent] = /^(\d{1,3}) % /.exec(text) ?? [];
  const [, rate] = /, ([\d.]+ \w+\/s)/.exec(text) ?? [];
  const [, left] = /, (\w+) left$/.exec(text) ?? [];
  const amount = text.replace(/^\d{1,3} % /, "").split(", ")[0] ?? "";
  return {
    amount,
    ...(percent === undefined ? {} : { percent: Number(percent) }),
    ...(rate === undefined ? {} : { rate }),
    ...(left === undefined ? {} : { left }),
  };
}
