import { refText, whereText } from "../../core/view/shown_object.ts";
import { agoText } from "../../core/view/times_text.ts";
import type { LostView, RepositoryView, View, VolumeView } from "../../core/view/view.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import { type Cell, type Column, table } from "../frame/table.ts";
import type { Paint, Tone } from "../frame/terminal.ts";

export interface LinesOptions {
  readonly now: number;
  readonly paint: Paint;
  /** Namespaces are shown. */
  readonly all: boolean;
  readonly wide: boolean;
  /** What is looked at, for the first line. */
  readonly place: string;
}

const TONES: Readonly<Record<VolumeView["protection"], Tone>> = {
  yes: "good",
  elsewhere: "warn",
  "by hand": "warn",
  "not yet": "warn",
  no: "bad",
  exempt: "dim",
  store: "dim",
};

/** The screen of `status`. */
export function statusLines(view: View, options: LinesOptions): readonly string[] {
  const { volumes, repositories, activity, problems, lost } = view;
  const { paint } = options;
  return [
    summary(view, options),
    ...(lost.length > 0 ? ["", ...table(lost, lostColumns(options), options)] : []),
    ...(volumes.length > 0 ? ["", ...table(volumes, volumeColumns(options), options)] : []),
    ...(repositories.length > 0 ? ["", ...table(repositories, repositoryColumns(options), options)] : []),
    ...(activity.length > 0
      ? [
          "",
          ...activity
            .slice(0, MOST_UNDER_WAY)
            .map(
              ({ object, phase, why }) =>
                `${paint("strong", "under way:")} ${refText(object, options.all)} (${phase}${why ? `: ${why}` : ""})`,
            ),
          ...(activity.length > MOST_UNDER_WAY
            ? [`${paint("strong", "under way:")} ${activity.length - MOST_UNDER_WAY} more`]
            : []),
        ]
      : []),
    ...(problems.length > 0
      ? [
          "",
          ...problems.map(
            ({ object, why }) => `${paint("bad", "wrong:")} ${refText(object, options.all)}: ${why}`,
          ),
        ]
      : []),
  ];
}

/** So many runs are named. */
const MOST_UNDER_WAY = 10;

function lostColumns({ now, all }: LinesOptions): readonly Column<LostView>[] {
  return [
    {
      title: "LOST VOLUME",
      cell: ({ claim }) => ({ text: all ? claim : (claim.split("/")[1] ?? claim), tone: "bad" }),
    },
    { title: "LAST GOOD BACKUP", cell: ({ lastGood }) => agoText(lastGood.at, now) || "-" },
    { title: "SIZE", cell: ({ lastGood: { bytes } }) => (bytes === undefined ? "-" : bytesText(bytes)) },
    { title: "BRING IT BACK", cell: ({ restore }) => restore },
  ];
}

function summary({ volumes, problems, lost }: View, { place, paint }: LinesOptions): string {
  const data = volumes.filter(({ coverage }) => coverage !== undefined && coverage !== "exempt");
  const safe = data.filter(({ protection }) => protection === "yes").length;
  const wrong = data.filter((row) => row.wrong.length > 0).length + problems.length + lost.length;
  const look = `${wrong} ${wrong === 1 ? "thing needs" : "things need"} a look`;
  if (data.length === 0) {
    const none = `There are no volumes to protect in ${place}`;
    return wrong === 0 ? `${none}.` : paint("warn", `${none}; ${look}.`);
  }
  const count = `${safe} of ${data.length} ${data.length === 1 ? "volume" : "volumes"} in ${place} ${safe === 1 || data.length === 1 ? "is" : "are"} protected`;
  const tone = safe === data.length && wrong === 0 ? "good" : "warn";
  const well = safe === data.length ? "nothing is wrong" : "nothing else needs a look";
  return paint(tone, `${count}; ${wrong === 0 ? well : look}.`);
}

function volumeColumns({ now, all }: LinesOptions): readonly Column<VolumeView>[] {
  return [
    { title: "VOLUME", cell: (volume) => whereText(volume, all) },
    { title: "PROTECTED", cell: protectedCell },
    { title: "LAST GOOD BACKUP", cell: ({ lastGood }) => agoText(lastGood?.at, now) || "-" },
    { title: "BACKUP", cell: ({ lastGood }) => lastGood?.object.name ?? "-", wide: true },
    {
      title: "SIZE",
      cell: ({ lastGood }) => (lastGood?.bytes === undefined ? "-" : bytesText(lastGood.bytes)),
    },
    { title: "NEXT RUN", cell: ({ nextRun }) => agoText(nextRun, now) || "-" },
    { title: "WHAT IS WRONG", cell: ({ wrong }) => ({ text: wrong.join("; "), tone: "bad" }) },
  ];
}

function protectedCell({ protection, scheduledBy }: VolumeView): Cell {
  const text =
    protection === "store"
      ? "holds a repository"
      : protection === "elsewhere"
        ? `by ${scheduledBy}`
        : protection;
  return { text, tone: TONES[protection] };
}

function repositoryColumns({ now, all }: LinesOptions): readonly Column<RepositoryView>[] {
  return [
    { title: "REPOSITORY", cell: ({ object }) => whereText(object, all) },
    {
      title: "PHASE",
      cell: ({ phase }) => ({
        text: phase,
        tone: phase === "Ready" ? "good" : phase === "Failed" ? "bad" : "warn",
      }),
    },
    { title: "ENGINE", cell: ({ engine }) => engine },
    { title: "SNAPSHOTS", cell: ({ snapshots }) => String(snapshots ?? "-") },
    {
      title: "STORED",
      cell: ({ storedBytes }) => (storedBytes === undefined ? "-" : bytesText(storedBytes)),
    },
    { title: "LAST CONTACT", cell: ({ lastContact }) => agoText(lastContact, now) || "never" },
    { title: "ID", cell: ({ id }) => id ?? "-", wide: true },
  ];
}
