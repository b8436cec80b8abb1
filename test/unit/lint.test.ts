import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** What house rules keep out of everything but `lib/`, `main/` and the tests. */
const forbidden = [
  "export const it = Date.now();",
  "export const it = [1].map(Date.now);",
  "export const it = new Date();",
  "export const it = new Date;",
  "export const it = Date();",
  "export const it = performance.now();",
  "export const it = process.hrtime.bigint();",
  'import { performance } from "node:perf_hooks";\nexport const it = performance;',
  "setTimeout(() => {}, 1);",
  "setInterval(() => {}, 1);",
  "setImmediate(() => {});",
  "globalThis.setTimeout(() => {}, 1);",
  "export const it = AbortSignal.timeout(1);",
  'import { setTimeout } from "node:timers";\nsetTimeout(() => {}, 1);',
  'import { setTimeout } from "node:timers/promises";\nawait setTimeout(1);',
  "export const it = Math.random();",
  "export const it = crypto.randomUUID();",
  'import { randomBytes } from "node:crypto";\nexport const it = randomBytes(8);',
  'import { randomUUID } from "node:crypto";\nexport const it = randomUUID();',
  'import * as chance from "node:crypto";\nexport const it = chance.randomBytes(8);',
  'export const it = fetch("http://localhost");',
  'export const it = new WebSocket("ws://localhost");',
  'import { get } from "node:http";\nexport const it = get;',
  'import { get } from "node:https";\nexport const it = get;',
  'import { connect } from "node:http2";\nexport const it = connect;',
  'import { connect } from "node:net";\nexport const it = connect;',
  'import { connect } from "node:tls";\nexport const it = connect;',
  'import { createSocket } from "node:dgram";\nexport const it = createSocket;',
  'import { lookup } from "node:dns";\nexport const it = lookup;',
  'import { WebSocket } from "ws";\nexport const it = WebSocket;',
  'export { connect } from "node:net";',
  'export const it = await import("node:https");',
  'import { spawn } from "node:child_process";\nexport const it = spawn;',
  'import { Worker } from "node:worker_threads";\nexport const it = Worker;',
];

const allowed = [
  "export const it = new Date(0);",
  'export const it = new Date("2026-01-01T00:00:00Z");',
  'import { createHash } from "node:crypto";\nexport const it = createHash;',
  "export const it = (clock: { now(): number }) => clock.now();",
  "queueMicrotask(() => {});",
];

let folder: string;
/** The files, relative to the project, in which the linter found something. */
let refused: ReadonlySet<string>;

const fileOf = (room: string, list: readonly string[], source: string, end = ".ts") =>
  `src/${room}/${list === allowed ? "allowed" : "forbidden"}_${list.indexOf(source)}${end}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-lint-"));
  const config = JSON.parse(await readFile(join(root, "biome.json"), "utf8"));
  // The folder is no clone, so there are no ignore files to honour.
  await writeFile(join(folder, "biome.json"), JSON.stringify({ ...config, vcs: { enabled: false } }));
  await cp(join(root, "tools/lint"), join(folder, "tools/lint"), { recursive: true });
  const write = async (path: string, source: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), `${source}\n`);
  };
  for (const source of forbidden) {
    await write(fileOf("kube", forbidden, source), source);
    await write(fileOf("lib", forbidden, source), source);
    await write(fileOf("main", forbidden, source), source);
    await write(fileOf("kube", forbidden, source, ".test.ts"), source);
  }
  for (const source of allowed) await write(fileOf("kube", allowed, source), source);
  refused = await lint(folder);
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

async function lint(cwd: string): Promise<ReadonlySet<string>> {
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  const args = [biome, "lint", "--reporter=json", "--max-diagnostics=none", "."];
  // It leaves with 1 when it finds something, and that is what is asked of it.
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 2 ** 26 }).catch(
    (failure: { stdout: string }) => failure,
  );
  const report: { diagnostics: { severity: string; location?: { path?: string } }[] } = JSON.parse(stdout);
  const errors = report.diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  return new Set(errors.map((diagnostic) => diagnostic.location?.path ?? ""));
}

describe("the linter", () => {
  test.each(forbidden)("refuses in kube/: %s", (source) => {
    expect(refused).toContain(fileOf("kube", forbidden, source));
  });

  test.each(forbidden)("allows in lib/, main/ and tests: %s", (source) => {
    expect(refused).not.toContain(fileOf("lib", forbidden, source));
    expect(refused).not.toContain(fileOf("main", forbidden, source));
    expect(refused).not.toContain(fileOf("kube", forbidden, source, ".test.ts"));
  });

  test.each(allowed)("allows in kube/: %s", (source) => {
    expect(refused).not.toContain(fileOf("kube", allowed, source));
  });
});
