import { posix } from "node:path";
import type { Hono } from "hono";
import type { ConsoleContext, ConsoleEnv, ConsoleParts } from "./console_app.ts";
import {
  fileArchive,
  fileContent,
  fileEntry,
  filePage,
  filePath,
  fileSearch,
  filesDiff,
  versionsOf,
} from "./files_api.ts";
import { contentHeaders } from "./page_headers.ts";
import { askedIn, needed, numberIn } from "./question_routes.ts";
import { streamOf } from "./served.ts";

/** What is in backups. */
export function fileRoutes(app: Hono<ConsoleEnv>, { ports }: ConsoleParts): void {
  app.get("/api/files/entries", async (context) => {
    const { call, asked } = filesIn(context);
    const [after, limit] = [context.req.query("after"), numberIn(context, "limit")];
    return context.json(await filePage(call, { ...asked, after, ...(limit ? { limit } : {}) }));
  });

  app.get("/api/files/entry", async (context) => {
    const { call, asked } = filesIn(context);
    return context.json(await fileEntry(call, asked));
  });

  app.get("/api/files/content", async (context) => {
    const { call, asked, person } = filesIn(context);
    const preview = context.req.query("preview") === "1";
    const bytes = await fileContent(call, person.sessions, { ...asked, preview });
    audit(context, `${preview ? "preview" : "download"} of ${asked.path} in ${asked.backup}`);
    return context.body(streamOf(bytes), 200, { ...contentHeaders(posix.basename(asked.path), preview) });
  });

  app.get("/api/files/archive", async (context) => {
    const { call, asked, person } = filesIn(context);
    const name = posix.basename(asked.path) || asked.backup.replaceAll("/", "-");
    const bytes = await fileArchive(call, person.sessions, { ...asked, name });
    audit(context, `download of ${asked.path || "everything"} in ${asked.backup}`);
    return context.body(streamOf(bytes), 200, {
      ...contentHeaders(`${name}.tar`, false),
      "content-type": "application/x-tar",
    });
  });

  app.get("/api/files/search", async (context) => {
    const { call } = filesIn(context, "config");
    return context.json(await fileSearch(call, needed(context, "config"), needed(context, "name")));
  });

  app.get("/api/files/versions", async (context) => {
    const { call, asked } = filesIn(context);
    return context.json(await versionsOf(call, asked));
  });

  app.get("/api/files/diff", async (context) => {
    const { call, asked } = filesIn(context, "older");
    const newer = needed(context, "newer");
    return context.json(await filesDiff(call, { older: asked.backup, newer, path: asked.path }));
  });

  function audit(context: ConsoleContext, line: string): void {
    const { person, namespace } = askedIn(context);
    ports.log.info({ user: person.user, namespace: person.scope(namespace), line }, "action");
  }
}

/** Which backup is asked about, and which path of it. */
function filesIn(context: ConsoleContext, word = "backup") {
  const { person, signal } = askedIn(context);
  const namespace = needed(context, "namespace");
  const pvc = context.req.query("pvc") || undefined;
  const call = person.call({ namespace, signal, options: { pvc } });
  const asked = { backup: needed(context, word), path: filePath(context.req.query("path")) };
  return { person, call, asked };
}
