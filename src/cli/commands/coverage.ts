import { coverageCounts } from "../../core/view/joined.ts";
import { refText, whereText } from "../../core/view/shown_object.ts";
import { agoText } from "../../core/view/times_text.ts";
import { COVERAGES, type Coverage, type VolumeView } from "../../core/view/view.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { printedValue } from "../frame/printed.ts";
import { placeOf } from "../frame/scope.ts";
import { type Column, table } from "../frame/table.ts";
import type { Tone } from "../frame/terminal.ts";
import { viewed } from "../frame/viewed.ts";
import { printInventory } from "../inventory/print_inventory.ts";

/** Every volume, and how it is protected. */
export async function coverage(call: Call): Promise<ExitCode> {
  if (call.given.flag("inventory")) return printInventory(call);
  const { clock, out, paint } = call;
  const volumes = (await viewed(call)).volumes.filter((volume) => volume.coverage !== undefined);
  const counts = coverageCounts(volumes);
  if (await printedValue(call, { summary: counts, volumes: volumes.map(summarized) })) return EXIT.done;
  const { place, all } = placeOf(call, await call.cluster());
  out(summaryText(counts, place));
  if (volumes.length === 0) return EXIT.done;
  out("");
  for (const line of table(volumes, columns(clock.now(), all), { paint })) out(line);
  return EXIT.done;
}

const SHOWN: Readonly<Record<Coverage, { readonly text: string; readonly tone: Tone }>> = {
  protected: { text: "protected", tone: "good" },
  by_hand: { text: "by hand", tone: "warn" },
  exempt: { text: "exempt", tone: "dim" },
  unprotected: { text: "not at all", tone: "bad" },
};

function summaryText(counts: Readonly<Record<Coverage, number>>, place: string): string {
  const total = COVERAGES.reduce((sum, one) => sum + counts[one], 0);
  if (total === 0) return `There are no volumes to protect in ${place}.`;
  const parts = COVERAGES.map((one) => `${counts[one]} ${SHOWN[one].text}`);
  return `${total} ${total === 1 ? "volume" : "volumes"} in ${place}: ${parts.join(", ")}.`;
}

function columns(now: number, all: boolean): readonly Column<VolumeView>[] {
  return [
    { title: "VOLUME", cell: (volume) => whereText(volume, all) },
    { title: "COVERAGE", cell: (volume) => SHOWN[volume.coverage ?? "unprotected"] },
    {
      title: "BY",
      cell: ({ namespace, by }) =>
        by.map(({ api, ...one }) => `${refText(one, one.namespace !== namespace)} (${api})`).join(", ") ||
        "-",
    },
    { title: "LAST GOOD BACKUP", cell: ({ lastGood }) => agoText(lastGood?.at, now) || "-" },
    { title: "NEXT RUN", cell: ({ nextRun }) => agoText(nextRun, now) || "-" },
    { title: "WHY", cell: whyText },
  ];
}

/** Why it counts as it does, where that does not show in the other columns. */
function whyText({ protection, coverage: counted, exempt, wrong, scheduledBy }: VolumeView): string {
  if (exempt !== undefined) return exempt;
  if (protection === "elsewhere") return `you may not look at the schedules of ${scheduledBy}`;
  if (protection === "not yet" && wrong.length === 0) return "there is no good backup yet";
  return counted === "protected" ? "" : wrong.join("; ");
}

/** The same for programs. */
function summarized(volume: VolumeView): object {
  const { namespace, name, coverage: counted, by, lastGood, nextRun, exempt } = volume;
  const good = lastGood && { backup: lastGood.object.name, at: lastGood.at, bytes: lastGood.bytes };
  const why = exempt === undefined ? whyText(volume) || undefined : undefined;
  return { namespace, name, coverage: counted, by, lastGood: good, nextRun, exempt, why };
}
