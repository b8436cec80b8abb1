// Serves a built page with made-up data: node console/src/testing/serve.ts <folder> [port] [volumes]
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { contentOf, fileAnswer, runSays } from "./file_fixtures.ts";
import * as fixtures from "./fixtures.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
/** As the console's server sends it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const SNAPSHOTS = 50_000;

type Ask = (name: string) => string;

function answersOf(volumes: number): Readonly<Record<string, (ask: Ask) => unknown>> {
  return {
    session: () => fixtures.session,
    view: () => fixtures.viewOf(volumes),
    snapshots: (ask) => fixtures.snapshotPage(SNAPSHOTS, Number(ask("offset")), Number(ask("limit") || 100)),
    volume: (ask) => fixtures.volumeDetail(ask("namespace"), ask("name"), volumes),
    schedules: () => fixtures.schedules,
    retention: () => fixtures.retention,
    repository: (ask) => fixtures.repositoryDetail(ask("name")),
    object: (ask) => fixtures.objectDetail(ask("resource"), ask("namespace") || undefined, ask("name")),
    doctor: () => fixtures.doctor,
    may: () => fixtures.rights,
    protect: () => fixtures.protectChoices,
  };
}

/** Begins to serve; resolves with the address. */
export function serveFixtures(
  folder: string,
  { port = 0, volumes = 34 }: { readonly port?: number; readonly volumes?: number } = {},
): Promise<{ readonly address: string; readonly close: () => void }> {
  const answers = answersOf(volumes);
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (!pathname.startsWith("/api/")) return page(folder, pathname, response);
    const path = pathname.slice("/api/".length);
    if (path === "events") return stream(response);
    if (request.method === "POST") return posted(path, request, response);
    const ask = (name: string) => searchParams.get(name) ?? "";
    if (path === "files/content" || path === "files/archive") return content(ask("path"), response);
    const answer = path.startsWith("files/")
      ? fileAnswer(path.slice("files/".length), ask)
      : answers[path]?.(ask);
    if (answer === undefined)
      return json(response, 404, { message: `There is no ${pathname}`, fix: "Look again." });
    json(response, 200, answer);
  });
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const at = typeof address === "object" && address ? address.port : port;
      const close = () => {
        server.closeAllConnections();
        server.close();
      };
      resolve({ address: `http://127.0.0.1:${at}`, close });
    });
  });
}

function page(folder: string, pathname: string, response: ServerResponse): void {
  const file = join(folder, pathname);
  const found = pathname !== "/" && !pathname.includes("..") && extname(file) && existsSync(file);
  const served = found ? file : join(folder, "index.html");
  response.writeHead(200, {
    "content-type": TYPES[extname(served)] ?? "application/octet-stream",
    "content-security-policy": POLICY,
  });
  response.end(readFileSync(served));
}

function stream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write("retry: 1000\n\n");
}

function content(path: string, response: ServerResponse): void {
  const { type, body } = contentOf(path);
  response.writeHead(200, { "content-type": type });
  response.end(body);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function posted(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const piece of request) text += piece;
  const body = JSON.parse(text) as { readonly words?: readonly string[]; readonly dryRun?: boolean };
  if (path === "protect") {
    const yaml =
      "apiVersion: kopiur.home-operations.com/v1alpha1\nkind: BackupConfig\nmetadata:\n  name: wiki\n";
    return json(response, 200, {
      yaml,
      line: "kubectl apply -f -",
      objects: [{ kind: "BackupConfig", namespace: "home", name: "wiki" }],
    });
  }
  if (path !== "run") return json(response, 200, fixtures.session);
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  const tell = (event: unknown) => response.write(`${JSON.stringify(event)}\n`);
  const says = runSays(body.words ?? []);
  if (says) {
    for (const event of says) {
      tell(event);
      if (event.type === "progress") await new Promise((resolve) => setTimeout(resolve, 100));
    }
    response.end();
    return;
  }
  tell({ type: "note", line: `Doing: ${body.words?.join(" ")}` });
  for (let percent = 0; percent <= 100; percent += 25) {
    tell({ type: "progress", line: `${percent} %` });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  tell({ type: "done" });
  response.end();
}

if (import.meta.main) {
  const [folder = "console/dist", port = "7421", volumes = "34"] = process.argv.slice(2);
  const { address } = await serveFixtures(folder, { port: Number(port), volumes: Number(volumes) });
  console.log(address);
}
