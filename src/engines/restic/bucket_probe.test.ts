import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { StreamedProcesses } from "../../lib/streamed_process.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { Backend } from "../../wire/backend.ts";
import { failureOf } from "../testing/ground.ts";
import { ResticEngine } from "./engine.ts";

const S3 = { s3: { bucket: "b", endpoint: "http://s:9000" } };
const KEYS = { AWS_ACCESS_KEY_ID: "i", AWS_SECRET_ACCESS_KEY: "k" };
const NONE =
  "Fatal: repository does not exist: unable to open config file: Stat: The specified key does not exist.";
const REFUSED = "Fatal: create repository at s3:http://s:9000/b failed: client.MakeBucket: Access Denied.";
const THERE = "Fatal: pack size larger than limit of 128 MiB";

let folder: string;
let inits: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hf-bucket-"));
  inits = [];
});
afterEach(() => rm(folder, { recursive: true }));

/** A restic that finds no repository, and says this when it is to make one. */
function finding(words: string): StreamedProcesses {
  return {
    async start(_, args, { env }) {
      const creates = args.includes("init");
      if (creates) inits.push({ args, env });
      return {
        stdout: (async function* () {})(),
        stderr: (async function* () {
          yield Buffer.from(`${creates ? words : NONE}\n`);
        })(),
        ended: Promise.resolve({ code: creates ? 1 : 10, signal: null }),
        kill: () => {},
      };
    },
  };
}

function open(words: string, backend: Backend = S3) {
  const programs = { program: "restic", sftpProgram: "", fidelityProgram: "", processes: finding(words) };
  const engine = new ResticEngine({ ...programs, clock: new VirtualClock(), folder });
  return failureOf(engine.open({ backend, credentials: "s3" in backend ? KEYS : {}, password: "p" }));
}

test("a bucket that is missing is told from one without a repository", async () => {
  expect(await open(REFUSED)).toMatchObject({ class: "BucketMissing" });
  expect(await open(THERE)).toMatchObject({ class: "NotARepository" });
});

test("to find that out, nothing is written: nobody asks, and for what restic refuses", async () => {
  await open(THERE);
  expect(inits).toHaveLength(1);
  const [{ args, env } = { args: [], env: {} }] = inits;
  expect(args).toContain("s3.unsafe-anonymous-auth=true");
  expect(args.slice(args.indexOf("--pack-size"))).toEqual(["--pack-size", "1024"]);
  expect(Object.keys(env).filter((name) => name.startsWith("AWS_"))).toEqual([]);
});

test("elsewhere it is not asked", async () => {
  expect(await open(REFUSED, { filesystem: { path: "/r" } })).toMatchObject({ class: "NotARepository" });
  expect(inits).toEqual([]);
});
