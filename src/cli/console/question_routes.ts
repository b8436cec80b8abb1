import type { Hono } from "hono";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { findingsOf } from "../commands/doctor.ts";
import type { Call } from "../frame/command.ts";
import { misuse } from "../frame/problem.ts";
import { AtOnce } from "./at_once.ts";
import { changes } from "./changes.ts";
import type { ConsoleContext, ConsoleEnv, ConsoleParts } from "./console_app.ts";
import { consoleView } from "./console_view.ts";
import { EVENTS } from "./contract.ts";
import { objectDetail } from "./object_detail.ts";
import { repositoryDetail } from "./repository_detail.ts";
import { retentionPreview } from "./retention_preview.ts";
import { rightsShown } from "./rights_shown.ts";
import { scheduleRows } from "./schedule_rows.ts";
import { streamOf } from "./served.ts";
import { snapshotPage, snapshotRows } from "./snapshot_rows.ts";
import { visibleOf, volumeDetail } from "./volume_detail.ts";

const SNAPSHOTS = 200;
const MOST_SNAPSHOTS = 1000;
/** Of one person: a browser has one for each namespace that its tabs look at. */
const MOST_STREAMS = 30;

/** What only looks. */
export function questionRoutes(app: Hono<ConsoleEnv>, { ports, signal: ends }: ConsoleParts): void {
  app.get("/api/view", async (context) => {
    const { person, namespace, signal } = askedIn(context);
    return context.json(consoleView(await person.view(namespace, signal)));
  });

  app.get("/api/snapshots", async (context) => {
    const { person, namespace, signal } = askedIn(context);
    const rows = snapshotRows(await person.view(namespace, signal));
    return context.json(
      snapshotPage(rows, {
        volume: context.req.query("volume"),
        text: context.req.query("text"),
        offset: numberIn(context, "offset") ?? 0,
        limit: Math.min(numberIn(context, "limit") ?? SNAPSHOTS, MOST_SNAPSHOTS),
      }),
    );
  });

  app.get("/api/volume", async (context) => {
    const { person, signal } = askedIn(context);
    const [namespace, name] = [needed(context, "namespace"), needed(context, "name")];
    const seen = await person.view(namespace, signal);
    return context.json(
      await volumeDetail(person.lookingCall({ namespace, signal }), seen, { namespace, name }),
    );
  });

  app.get("/api/schedules", async (context) => {
    const { person, namespace, signal } = askedIn(context);
    const call = person.lookingCall({ namespace, signal });
    const [seen, schedules, configs] = await Promise.all([
      person.view(namespace, signal),
      visibleOf(call, backupScheduleResource),
      visibleOf(call, backupConfigResource),
    ]);
    return context.json(scheduleRows({ seen, schedules, configs }));
  });

  app.get("/api/repository", async (context) => {
    const { person, namespace, signal } = askedIn(context);
    const [kind, name] = [needed(context, "kind"), needed(context, "name")];
    const seen = await person.view(namespace, signal);
    const call = person.lookingCall({ namespace, signal });
    return context.json(await repositoryDetail(call, seen, { kind, namespace, name }));
  });

  app.get("/api/object", async (context) => {
    const { person, namespace, signal } = askedIn(context);
    const [resource, name] = [needed(context, "resource"), needed(context, "name")];
    const call = person.lookingCall({ namespace, signal });
    return context.json(await objectDetail(call, resource, { namespace, name }));
  });

  app.get("/api/retention", async (context) => {
    const { person, signal } = askedIn(context);
    const [namespace, name] = [needed(context, "namespace"), needed(context, "config")];
    return context.json(
      await retentionPreview(person.lookingCall({ namespace, signal }), { namespace, name }),
    );
  });

  app.get("/api/doctor", async (context) => {
    const { person, namespace, signal } = askedIn(context);
    const call: Call = person.call({ namespace, signal });
    return context.json(await findingsOf(call));
  });

  app.get("/api/may", async (context) => {
    const { person, namespace, signal } = askedIn(context);
    const call = person.call({ namespace, signal });
    const of = context.req.query("of") || undefined;
    return context.json(await rightsShown(call, person.scope(namespace), of));
  });

  const streams = new AtOnce(MOST_STREAMS, "pages follow the changes");
  app.get(EVENTS, (context) => {
    const { person, namespace, signal } = askedIn(context);
    const { ended } = context.get("signIn");
    const end = streams.begin(person.user);
    const over = AbortSignal.any([signal, ended, ends]);
    over.addEventListener("abort", end, { once: true });
    if (over.aborted) end();
    const told = changes({
      live: person.live,
      clock: ports.clock,
      namespace,
      signal: over,
    });
    return context.body(streamOf(told), 200, { "content-type": "text/event-stream; charset=utf-8" });
  });
}

/** Who asks, and of which namespace. */
export function askedIn(context: ConsoleContext) {
  const { person } = context.get("signIn");
  // A namespace that is named, but empty, is none.
  const namespace = context.req.query("namespace") || undefined;
  return { person, namespace, signal: context.req.raw.signal };
}

/** What a question cannot do without. */
export function needed(context: ConsoleContext, name: string): string {
  const value = context.req.query(name);
  if (!value) throw misuse(`${name} is missing`, `Name it in the address: ?${name}=…`);
  return value;
}

export function numberIn(context: ConsoleContext, name: string): number | undefined {
  const value = context.req.query(name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0)
    throw misuse(`${name} is ${JSON.stringify(value)}, and no number`);
  return number;
}
