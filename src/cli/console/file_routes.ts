import { posix } from "node:path";
import type { Hono } from "hono";
import { AtOnce } from "./at_once.ts";
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
import type { Person } from "./person.ts";
import { askedIn, needed, numberIn } from "./question_routes.ts";
import { streamOf } from "./served.ts";

/** Of one person: the server keeps much for each of them. */
const MOST_AT_ONCE = 4;

/** What is in backups. */
export function fileRoutes(app: Hono<ConsoleEnv>, { ports }: ConsoleParts): void {
  const running = new AtOnce(MOST_AT_ONCE, "searches, comparisons and downloads of folders run");

  app.get("/api/files/entries", async (context) => {
    const { call, asked } = filesIn(context);
    const [after, limit] = [context.req.query("after"), numberIn(context, "limit")];
    audit(context, `list of ${asked.path || "the root"} in ${asked.backup}`);
    return context.json(await filePage(call, { ...asked, after, ...(limit ? { limit } : {}) }));
  });

  app.get("/api/files/entry", async (context) => {
    const { call, asked } = filesIn(context);
    audit(context, `look at ${asked.path || "the root"} in ${asked.backup}`);
    return context.json(await fileEntry(call, asked));
  });

  app.get("/api/files/content", async (context) => {
    const { call, asked, person } = filesIn(context);
    const preview = context.req.query("preview") === "1";
    audit(context, `${preview ? "preview" : "download"} of ${asked.path} in ${asked.backup}`);
    const bytes = await fileContent(call, person.sessions, { ...asked, preview });
    return context.body(streamOf(bytes), 200, { ...contentHeaders(posix.basename(asked.path), preview) });
  });

  app.get("/api/files/archive", async (context) => {
    const { call, asked, person } = filesIn(context);
    const name = posix.basename(asked.path) || asked.backup.replaceAll("/", "-");
    audit(context, `download of ${asked.path || "everything"} in ${asked.backup}`);
    const end = running.begin(person.user);
    const bytes = await fileArchive(call, person.sessions, { ...asked, name }, end);
    return context.body(streamOf(bytes), 200, {
      ...contentHeaders(`${name}.tar`, false),
      "content-type": "application/x-tar",
    });
  });

  app.get("/api/files/search", async (context) => {
    const { call, person } = filesIn(context, "config");
    const [config, name] = [needed(context, "config"), needed(context, "name")];
    audit(context, `search for ${name} in all of ${config}`);
    return context.json(await oneOf(person, () => fileSearch(call, config, name)));
  });

  app.get("/api/files/versions", async (context) => {
    const { call, asked } = filesIn(context);
    audit(context, `versions of ${asked.path}, from ${asked.backup} on`);
    return context.json(await versionsOf(call, asked));
  });

  app.get("/api/files/diff", async (context) => {
    const { call, asked, person } = filesIn(context, "older");
    const newer = needed(context, "newer");
    const { backup: older, path } = asked;
    audit(context, `comparison of ${path || "everything"} in ${older} and ${newer}`);
    return context.json(await oneOf(person, () => filesDiff(call, { older, newer, path })));
  });

  async function oneOf<T>({ user }: Person, question: () => Promise<T>): Promise<T> {
    const end = running.begin(user);
    try {
      return await question();
    } finally {
      end();
    }
  }

  /** Also of what is refused then: it starts a mover in somebody's namespace. */
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
