import { createHash } from "node:crypto";
import { once } from "node:events";
import { access, constants, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DownloadFailed, download, publishedChecksum } from "./download.mjs";
import { findOnPath } from "./find_on_path.mjs";
import { run } from "./run.mjs";
import { calm, temporaryFolder } from "./testing.ts";

type Answer = Buffer | "truncated" | "stalled" | "silence";

async function serve(files: Record<string, Answer>): Promise<string> {
  const server = createServer((request, response) => {
    const answer = files[request.url ?? ""];
    if (answer === undefined) {
      response.writeHead(404).end();
    } else if (answer === "truncated" || answer === "stalled") {
      response.writeHead(200, { "content-length": "1000" });
      response.write("a few bytes", () => answer === "truncated" && response.destroy());
    } else if (answer === "silence") {
      // Nothing comes, and nothing ends.
    } else {
      response.end(answer);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const sha256 = (data: Buffer) => createHash("sha256").update(data).digest("hex");
const program = Buffer.from("#!/bin/sh\necho I am a program\n");

async function failure(promise: Promise<unknown>): Promise<DownloadFailed> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DownloadFailed)) throw new Error(`expected DownloadFailed, not ${error}`);
  return error;
}

test("download() fetches a plain program whose checksum stands alone", async () => {
  const host = await serve({ "/tool": program, "/tool.sha256": Buffer.from(sha256(program)) });
  const folder = await temporaryFolder();
  const path = await download({ asset: `${host}/tool`, checksums: `${host}/tool.sha256` }, folder, calm);
  expect(await readFile(path)).toEqual(program);
  await access(path, constants.X_OK);
});

test("download() takes one member out of a tar.gz", async () => {
  const source = await temporaryFolder();
  await mkdir(join(source, "tool-1"));
  await writeFile(join(source, "tool-1", "tool"), program);
  await run("tar", ["-czf", "tool.tar.gz", "tool-1"], { cwd: source });
  const archive = await readFile(join(source, "tool.tar.gz"));
  const host = await serve({
    "/tool.tar.gz": archive,
    "/sums": Buffer.from(`${"0".repeat(64)}  other.tar.gz\n${sha256(archive)}  tool.tar.gz\n`),
  });
  const release = { asset: `${host}/tool.tar.gz`, checksums: `${host}/sums`, member: "tool-1/tool" };
  expect(await readFile(await download(release, await temporaryFolder(), calm))).toEqual(program);
});

/** Where there is none, what comes as a bz2 is built instead. */
const hasBzip2 = (await findOnPath("bzip2", process.env)) !== undefined;

test.runIf(hasBzip2)("download() unpacks a bz2", async () => {
  const source = await temporaryFolder();
  await writeFile(join(source, "tool"), program);
  await run("bzip2", ["tool"], { cwd: source });
  const archive = await readFile(join(source, "tool.bz2"));
  const host = await serve({ "/tool.bz2": archive, "/sums": Buffer.from(`${sha256(archive)}  tool.bz2\n`) });
  const release = { asset: `${host}/tool.bz2`, checksums: `${host}/sums` };
  const folder = await temporaryFolder();
  const path = await download(release, folder, calm);
  expect(path).toBe(join(folder, "tool"));
  expect(await readFile(path)).toEqual(program);
  await access(path, constants.X_OK);
});

test.runIf(hasBzip2)("download() says so when a bz2 is none", async () => {
  const host = await serve({ "/tool.bz2": program, "/sums": Buffer.from(`${sha256(program)}  tool.bz2\n`) });
  const release = { asset: `${host}/tool.bz2`, checksums: `${host}/sums` };
  const error = await failure(download(release, await temporaryFolder(), calm));
  expect(error.message).toContain("tool.bz2 cannot be unpacked: bzip2: ");
});

test("download() refuses what differs from the published checksum", async () => {
  const host = await serve({ "/tool": program, "/sums": Buffer.from(`${"0".repeat(64)}  tool\n`) });
  const release = { asset: `${host}/tool`, checksums: `${host}/sums` };
  const error = await failure(download(release, await temporaryFolder(), calm));
  expect(error.message).toBe(
    `${host}/tool has the SHA-256 ${sha256(program)}, but ${"0".repeat(64)} was published: it was not used`,
  );
  expect(error.host).toBeUndefined();
});

test("download() refuses what the checksum file does not list", async () => {
  const host = await serve({ "/tool": program, "/sums": Buffer.from(`${sha256(program)}  other\n`) });
  const release = { asset: `${host}/tool`, checksums: `${host}/sums` };
  const error = await failure(download(release, await temporaryFolder(), calm));
  expect(error.message).toBe(`${host}/sums does not list tool`);
});

test("download() names the missing asset", async () => {
  const host = await serve({ "/sums": Buffer.from(`${sha256(program)}  tool\n`) });
  const release = { asset: `${host}/tool`, checksums: `${host}/sums` };
  const error = await failure(download(release, await temporaryFolder(), calm));
  expect(error.message).toBe(`${host}/tool answered 404`);
});

test("download() notices a transfer that breaks off", async () => {
  const host = await serve({ "/tool": "truncated", "/sums": Buffer.from(`${sha256(program)}  tool\n`) });
  const release = { asset: `${host}/tool`, checksums: `${host}/sums` };
  const error = await failure(download(release, await temporaryFolder(), calm));
  expect(error.message).toContain(`${host}/tool broke off (`);
  expect(error.host).toBeUndefined();
});

test("download() says which host is out of reach", async () => {
  const release = { asset: "http://127.0.0.1:1/tool", checksums: "http://127.0.0.1:1/sums" };
  const error = await failure(download(release, await temporaryFolder(), calm));
  expect(error.host).toBe("127.0.0.1:1");
  expect(error.message).toContain("127.0.0.1:1 cannot be reached (");
});

test("download() gives a host up that says nothing", async () => {
  const host = await serve({ "/sums": "silence" });
  const release = { asset: `${host}/tool`, checksums: `${host}/sums` };
  const patience = { answer: 100, stall: 60_000 };
  const error = await failure(download(release, await temporaryFolder(), calm, patience));
  expect(error.host).toBe(new URL(host).host);
  expect(error.message).toBe(`${error.host} cannot be reached (no answer in time)`);
});

test("download() gives a transfer up that stands still, and blames no host for it", async () => {
  const host = await serve({ "/tool": "stalled", "/sums": Buffer.from(`${sha256(program)}  tool\n`) });
  const release = { asset: `${host}/tool`, checksums: `${host}/sums` };
  const patience = { answer: 60_000, stall: 1_000 };
  const error = await failure(download(release, await temporaryFolder(), calm, patience));
  expect(error.message).toBe(`${host}/tool broke off (no answer in time)`);
  expect(error.host).toBeUndefined();
});

test("publishedChecksum() reads lists in text and in binary mode, and nothing that is no SHA-256", () => {
  const hash = "AB".repeat(32);
  expect(publishedChecksum(`${hash} *tool\n`, "tool")).toBe(hash.toLowerCase());
  expect(publishedChecksum(`${hash}\n`, "tool")).toBe(hash.toLowerCase());
  expect(publishedChecksum(`${hash}  tool.sig\n`, "tool")).toBeUndefined();
  expect(publishedChecksum("<html>not found</html>", "tool")).toBeUndefined();
});
