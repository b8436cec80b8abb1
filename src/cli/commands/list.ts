import type { ColumnValue, KindView } from "../../core/view/api_view.ts";
import { complaintOf, type ShownObject, whereText } from "../../core/view/shown_object.ts";
import { agoText, durationText } from "../../core/view/times_text.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import { didYouMean } from "../../lib/did_you_mean.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { kindOf, pluralOf } from "../frame/kinds.ts";
import { printedList } from "../frame/printed.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";
import { refuseNoNamespace } from "../frame/refuse_no_namespace.ts";
import { listed, placeOf, scopeOf } from "../frame/scope.ts";
import { type Column, table } from "../frame/table.ts";
import type { Tone } from "../frame/terminal.ts";

/** The objects of one kind, the newest first. */
export async function list(call: Call): Promise<ExitCode> {
  const { given, clock, paint, out } = call;
  const word = given.words[0] ?? "backups";
  const kinds = (await call.views()).flatMap((view) => view.kinds);
  const kind = kindOf(word, kinds);
  if (!kind) throw misuse(`there is no kind ${JSON.stringify(word)}`, kindFix(word, kinds.map(pluralOf)));
  const objects = (await listed(call, kind.resource)).toSorted(
    (a, b) => Date.parse(b.metadata.creationTimestamp) - Date.parse(a.metadata.creationTimestamp),
  );
  const config = given.text("config");
  const kept = objects.filter((object) => config === undefined || kind.planOf?.(object)?.name === config);
  if (await printedList(call, kept)) return EXIT.done;
  const { all, place } = placeOf(call, await call.cluster());
  if (kept.length === 0 && config !== undefined && objects.length > 0) {
    const plans = [...new Set(objects.flatMap((object) => kind.planOf?.(object)?.name ?? []))];
    const meant = didYouMean(config, plans);
    throw new CommandProblem(`no ${kind.resource.plural} are of config ${config}`, {
      why: `There are ${objects.length} of ${plans.join(", ") || "none"}.`,
      fix: meant ? `Did you mean --config ${meant}?` : "Name one of these.",
      code: EXIT.notFound,
    });
  }
  if (kept.length === 0) {
    const cluster = await call.cluster();
    const namespace = kind.resource.namespaced ? scopeOf(call, cluster) : undefined;
    if (namespace !== undefined) await refuseNoNamespace(call, cluster, namespace);
    out(`There are no ${kind.resource.plural} in ${all ? "any namespace" : place}.`);
    return EXIT.done;
  }
  const columns = listColumns(kind, { now: clock.now(), all });
  for (const line of table(kept, columns, { paint, wide: given.output === "wide" })) out(line);
  return EXIT.done;
}

function kindFix(word: string, plurals: readonly string[]): string {
  const meant = didYouMean(word, plurals);
  return `${meant ? `Did you mean ${meant}? ` : ""}It may be ${plurals.join(", ")}.`;
}

const TONES: Readonly<Record<string, Tone>> = {
  Succeeded: "good",
  Completed: "good",
  Ready: "good",
  Active: "good",
  Failed: "bad",
  Degraded: "warn",
  Suspended: "warn",
};

/** What all kinds have in common, and between that their own. */
function listColumns(
  { columns }: KindView,
  { now, all }: { readonly now: number; readonly all: boolean },
): readonly Column<ShownObject>[] {
  return [
    { title: "NAME", cell: ({ metadata }) => whereText(metadata, all) },
    {
      title: "PHASE",
      cell: ({ status }) => {
        const text = status?.phase ?? "Pending";
        const tone = TONES[text];
        return tone ? { text, tone } : text;
      },
    },
    ...columns.map((column) => ({
      title: column.title,
      cell: (object: ShownObject) => valueText(column.value(object), now) || "-",
      ...(column.wide ? { wide: true } : {}),
    })),
    { title: "AGE", cell: ({ metadata }) => durationText(now - Date.parse(metadata.creationTimestamp)) },
    { title: "WHY", cell: (object) => complaintOf(object) ?? "", wide: true },
  ];
}

function valueText(value: ColumnValue, now: number): string {
  if (typeof value !== "object") return String(value ?? "");
  if ("bytes" in value) return value.bytes === undefined ? "" : bytesText(value.bytes);
  return [value.text, agoText(value.at, now)].filter(Boolean).join(", ");
}
