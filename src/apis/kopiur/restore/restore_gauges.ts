import type { GaugeOptions } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";

/** How restores went, told at a scrape: read from the caches, so that what is gone is not shown. */
export function restoreGauges({ restores }: Pick<KopiurCaches, "restores">): readonly GaugeOptions[] {
  return [
    {
      name: "kopiur_restore_duration_seconds",
      help: "How long the Restore took, from the start of its mover to the end",
      labels: ["namespace", "name"],
      read: () =>
        [...restores.values()].flatMap(({ metadata: { namespace = "", name }, status }) => {
          const value = status?.timing?.durationSeconds;
          return value === undefined ? [] : [{ labels: { namespace, name }, value }];
        }),
    },
  ];
}
