import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { kindOf, type NativeObject } from "../frame/kinds.ts";
import { printedList } from "../frame/printed.ts";
import { misuse } from "../frame/problem.ts";
import { listed, scopeOf } from "../frame/scope.ts";
import { table } from "../frame/table.ts";
import { listColumns } from "../list/list_columns.ts";

/** The objects of one kind, the newest first. */
export async function list(call: Call): Promise<ExitCode> {
  const { given, clock, paint, out } = call;
  const word = given.words[0] ?? "backups";
  const resource = kindOf(word);
  if (!resource) throw misuse(`there is no kind ${JSON.stringify(word)}`, "See holdfast list --help.");
  const objects = (await listed(call, resource)).toSorted(
    (a, b) => Date.parse(b.metadata.creationTimestamp) - Date.parse(a.metadata.creationTimestamp),
  );
  const kept = objects.filter((object) => isWanted(object, given.text("config")));
  if (await printedList(call, kept)) return EXIT.done;
  const scope = scopeOf(call, await call.cluster());
  if (kept.length === 0) {
    out(
      `There are no ${resource.plural} in ${scope === undefined ? "any namespace" : `namespace ${scope}`}.`,
    );
    return EXIT.done;
  }
  const columns = listColumns(resource.kind, { now: clock.now(), all: scope === undefined });
  for (const line of table(kept, columns, { paint, wide: given.output === "wide" })) out(line);
  return EXIT.done;
}

function isWanted(object: NativeObject, config: string | undefined): boolean {
  if (config === undefined) return true;
  const { spec } = object as { readonly spec?: { readonly configRef?: { readonly name?: string } } };
  return spec?.configRef?.name === config;
}
