import { posix } from "node:path";
import type { OpenedSession } from "../../../src/cli/session/open_session.ts";
import { SessionClient } from "../../../src/core/work/session/session_client.ts";
import type { HttpResponse } from "../../../src/lib/http.ts";
import type { Entry } from "../../../src/wire/entry.ts";
import { PAGE_LIMIT } from "../../../src/wire/session.ts";
import { answered } from "./people.ts";

/** Files of snapshots by ID: their content by path. */
export type MadeUpFiles = Readonly<Record<string, Readonly<Record<string, string>>>>;

const WHEN = "2026-11-17T18:22:00Z";

/** A session that answers at once, with files that nobody stored. `check` throws where it cannot. */
export function madeUpSession(snapshots: MadeUpFiles, check: () => void = () => {}): OpenedSession {
  check();
  const client = new SessionClient({
    close() {},
    send: async ({ path }) => {
      check();
      const url = new URL(path, "http://session");
      const [, , , id = "", what] = url.pathname.split("/").map(decodeURIComponent);
      const files = snapshots[id] ?? {};
      const at = url.searchParams.get("path") ?? "";
      switch (what) {
        case "entries":
          return entriesPage(below(files, at), url.searchParams);
        case "entry":
          return found(below(files, posix.dirname(at).replace(/^\.$/, "")), posix.basename(at));
        case "file":
          return bytes(files[at] ?? "");
        case "search":
          return answered(200, { items: [] });
        default:
          return answered(200, { version: 1, repository: "made up" });
      }
    },
  });
  return { client, async [Symbol.asyncDispose]() {} };
}

/** What a folder holds, by name. */
function below(files: Readonly<Record<string, string>>, folder: string): readonly Entry[] {
  const start = folder === "" ? "" : `${folder}/`;
  const entries = new Map<string, Entry>();
  for (const [path, text] of Object.entries(files)) {
    if (!path.startsWith(start)) continue;
    const [name = "", ...more] = path.slice(start.length).split("/");
    const common = { name, modifiedAt: WHEN, owner: { uid: 1000, gid: 1000 } };
    entries.set(
      name,
      more.length > 0
        ? { ...common, type: "Folder", size: 0, mode: 0o755 }
        : { ...common, type: "File", size: Buffer.byteLength(text), mode: 0o644 },
    );
  }
  return [...entries.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function entriesPage(entries: readonly Entry[], query: URLSearchParams): HttpResponse {
  const limit = Number(query.get("limit") ?? PAGE_LIMIT);
  const after = query.get("after") ?? "";
  const rest = entries.filter(({ name }) => name > after);
  const items = rest.slice(0, limit);
  return answered(200, { items, ...(rest.length > limit ? { next: items.at(-1)?.name } : {}) });
}

function found(entries: readonly Entry[], named: string): HttpResponse {
  const entry = entries.find(({ name }) => name === named);
  if (entry) return answered(200, entry);
  return {
    ...answered(200, { class: "PathMissing", message: `${named} is not in the snapshot`, retry: "terminal" }),
    status: 404,
  };
}

function bytes(text: string): HttpResponse {
  return {
    status: 200,
    headers: {},
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  };
}
