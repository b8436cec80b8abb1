import { keyOf } from "../../kube/object.ts";
import { bytesText } from "../bytes_text.ts";
import { type Cell, type Column, table } from "../frame/table.ts";
import type { Paint, Tone } from "../frame/terminal.ts";
import { agoText } from "../frame/times_text.ts";
import { whereText } from "../frame/where.ts";
import type { Overview } from "./overview.ts";
import type { Protection, VolumeRow } from "./protection.ts";

export interface LinesOptions {
  readonly now: number;
  readonly paint: Paint;
  /** Namespaces are shown. */
  readonly all: boolean;
  readonly wide: boolean;
  /** What is looked at, for the first line. */
  readonly place: string;
}

const TONES: Readonly<Record<Protection, Tone>> = {
  yes: "good",
  elsewhere: "warn",
  "by hand": "warn",
  "not yet": "warn",
  no: "bad",
  store: "dim",
};

/** The screen of `status`. */
export function overviewLines(overview: Overview, options: LinesOptions): readonly string[] {
  const { volumes, repositories, running, problems } = overview;
  const { paint } = options;
  return [
    summary(overview, options),
    ...(volumes.length > 0 ? ["", ...table(volumes, volumeColumns(options), options)] : []),
    ...(repositories.length > 0 ? ["", ...table(repositories, repositoryColumns(options), options)] : []),
    ...(running.length > 0
      ? [
          "",
          ...running.map(
            (object) =>
              `${paint("strong", "under way:")} ${named(object, options.all)} (${object.status?.phase ?? "Pending"})`,
          ),
        ]
      : []),
    ...(problems.length > 0
      ? [
          "",
          ...problems.map(
            ({ object, why }) => `${paint("bad", "wrong:")} ${named(object, options.all)}: ${why}`,
          ),
        ]
      : []),
  ];
}

function summary({ volumes, problems }: Overview, { place, paint }: LinesOptions): string {
  const data = volumes.filter(({ protection }) => protection !== "store");
  const safe = data.filter(({ protection, wrong }) => protection === "yes" && wrong.length === 0).length;
  const wrong = data.filter((row) => row.wrong.length > 0).length + problems.length;
  const look = `${wrong} ${wrong === 1 ? "thing needs" : "things need"} a look`;
  if (data.length === 0) {
    const none = `There are no volumes to protect in ${place}`;
    return wrong === 0 ? `${none}.` : paint("warn", `${none}; ${look}.`);
  }
  const count = `${safe} of ${data.length} ${data.length === 1 ? "volume" : "volumes"} in ${place} ${safe === 1 || data.length === 1 ? "is" : "are"} protected`;
  const tone = safe === data.length && wrong === 0 ? "good" : "warn";
  return paint(tone, `${count}; ${wrong === 0 ? "nothing is wrong" : look}.`);
}

function volumeColumns({ now, all }: LinesOptions): readonly Column<VolumeRow>[] {
  return [
    { title: "VOLUME", cell: ({ volume }) => whereText(volume, all) },
    { title: "PROTECTED", cell: protectedCell },
    { title: "LAST GOOD BACKUP", cell: ({ lastGood }) => agoText(lastGood?.at, now) || "-" },
    { title: "BACKUP", cell: ({ lastGood }) => lastGood?.backup ?? "-", wide: true },
    {
      title: "SIZE",
      cell: ({ lastGood }) => (lastGood?.bytes === undefined ? "-" : bytesText(lastGood.bytes)),
    },
    { title: "NEXT RUN", cell: ({ nextRun }) => agoText(nextRun, now) || "-" },
    { title: "WHAT IS WRONG", cell: ({ wrong }) => ({ text: wrong.join("; "), tone: "bad" }) },
  ];
}

function protectedCell({ protection, by }: VolumeRow): Cell {
  return { text: protectionText(protection, by), tone: TONES[protection] };
}

function protectionText(protection: Protection, by: string | undefined): string {
  if (protection === "store") return "holds a repository";
  return protection === "elsewhere" ? `by ${by}` : protection;
}

function repositoryColumns({ now, all }: LinesOptions): readonly Column<Overview["repositories"][number]>[] {
  return [
    { title: "REPOSITORY", cell: (repository) => whereText(repository, all) },
    {
      title: "PHASE",
      cell: ({ status }) => {
        const phase = status?.phase ?? "Pending";
        return { text: phase, tone: phase === "Ready" ? "good" : phase === "Failed" ? "bad" : "warn" };
      },
    },
    { title: "ENGINE", cell: ({ spec }) => spec.engine },
    { title: "SNAPSHOTS", cell: ({ status }) => String(status?.catalog?.snapshotCount ?? "-") },
    {
      title: "STORED",
      cell: ({ status }) => {
        const bytes = status?.storageStats?.storedBytes;
        return bytes === undefined ? "-" : bytesText(bytes);
      },
    },
    { title: "LAST CONTACT", cell: ({ status }) => agoText(status?.lastContactAt, now) || "never" },
    { title: "ID", cell: ({ status }) => status?.uniqueID ?? "-", wide: true },
  ];
}

function named(
  {
    kind,
    metadata,
  }: { readonly kind: string; readonly metadata: { readonly name: string; readonly namespace?: string } },
  all: boolean,
): string {
  return `${kind} ${all ? keyOf(metadata) : metadata.name}`;
}
