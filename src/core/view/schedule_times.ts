/** When a schedule runs: five fields of cron, and the zone that they are in. */
export interface ScheduleTimes {
  readonly cron: string;
  /** A name of the IANA database. */
  readonly zone: string;
}

const FIELDS = 5;

/** As the operator resolved it, with every H replaced and the zone behind it; until then as it was asked for. */
export function scheduleTimes(
  resolved: string | undefined,
  asked: { readonly cron?: string | undefined; readonly timezone: string },
): ScheduleTimes {
  const words = (resolved ?? "").split(" ");
  const zone = words[FIELDS];
  if (words.length === FIELDS + 1 && zone) return { cron: words.slice(0, FIELDS).join(" "), zone };
  return { cron: asked.cron ?? "", zone: asked.timezone };
}
