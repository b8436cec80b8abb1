import type { ObjectRef } from "../../core/view/shown_object.ts";
import type { View } from "../../core/view/view.ts";
import { sleep } from "../../lib/clock.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { printedValue } from "../frame/printed.ts";
import { refuseNoNamespace } from "../frame/refuse_no_namespace.ts";
import { placeOf, scopeOf } from "../frame/scope.ts";
import { viewed } from "../frame/viewed.ts";
import { statusLines } from "../status/status_lines.ts";

/** One screen: which volumes are protected, and what is wrong. */
export async function status(call: Call): Promise<ExitCode> {
  const { clock, signal, given, terminal } = call;
  if (!given.flag("watch")) return shown(call);
  for (;;) {
    // The whole screen is written anew.
    if (terminal.out.isTTY) terminal.out.write("\u001b[H\u001b[2J\u001b[3J");
    await shown(call);
    await sleep(clock, BETWEEN, signal);
  }
}

/** Between two looks, in milliseconds. */
const BETWEEN = 2_000;

async function shown(call: Call): Promise<ExitCode> {
  const { clock, out, paint, given } = call;
  const view = await viewed(call);
  const cluster = await call.cluster();
  const namespace = scopeOf(call, cluster);
  if (namespace !== undefined && isEmpty(view)) await refuseNoNamespace(call, cluster, namespace);
  if (await printedValue(call, summarized(view))) return EXIT.done;
  const options = {
    now: clock.now(),
    paint,
    wide: given.output === "wide",
    ...placeOf(call, cluster),
  };
  for (const line of statusLines(view, options)) out(line);
  return EXIT.done;
}

function isEmpty({ volumes, repositories, activity, problems, lost }: View): boolean {
  return [volumes, repositories, activity, problems, lost].every(({ length }) => length === 0);
}

/** The same for programs. */
function summarized({ volumes, repositories, schedules, activity, problems, lost }: View): unknown {
  const named = <T extends { readonly object: ObjectRef }>({
    object: { namespace, name, kind },
    ...rest
  }: T) => ({
    ...(namespace ? { namespace } : {}),
    name,
    kind,
    ...rest,
  });
  return {
    volumes: volumes.map(({ lastGood, scheduledBy, by: _, ...rest }) => ({
      ...rest,
      ...(lastGood
        ? { lastGood: { backup: lastGood.object.name, at: lastGood.at, bytes: lastGood.bytes } }
        : {}),
      ...(scheduledBy ? { by: scheduledBy } : {}),
    })),
    repositories: repositories.map(({ object, phase }) => named({ object, phase })),
    schedules: schedules.map(named),
    running: activity.map(named),
    problems: problems.map(named),
    lost: lost.map(({ claim, lastGood, restore }) => ({
      claim,
      lastGood: { backup: lastGood.object.name, at: lastGood.at, bytes: lastGood.bytes },
      restore,
    })),
  };
}
