import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeTree, type FoundEntry } from "../../src/engines/testing/tree.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { testEngine } from "../../tools/images/test_engines.ts";
import type { S3Place } from "./world.ts";

export interface BareRepository {
  readonly s3: S3Place;
  readonly prefix: string;
  readonly password: string;
}

export interface BareRestore extends BareRepository {
  readonly engine: EngineName;
  readonly snapshot: string;
  /** The claim whose volume it is of. */
  readonly claim: string;
}

/** What somebody gets back who has nothing but the engine, the bucket and the password. */
export async function restoredByHand(asked: BareRestore): Promise<readonly FoundEntry[]> {
  const home = mkdtempSync(join(tmpdir(), "by-hand-"));
  try {
    const target = join(home, "restored");
    await (asked.engine === "kopia" ? byKopia(asked, home, target) : byRestic(asked, home, target));
    return await describeTree(target);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Takes away the locks of restic's that a lost cluster left, as whoever knows that it is gone can. */
export async function unlockedByHand(repository: BareRepository): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "by-hand-"));
  try {
    await hand("restic", ["--no-cache", "unlock", "--remove-all"], resticEnv(repository, home));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function byKopia(asked: BareRestore, home: string, target: string): Promise<void> {
  const { s3, prefix, password, snapshot } = asked;
  const { host, protocol } = new URL(s3.endpoint.includes("://") ? s3.endpoint : `https://${s3.endpoint}`);
  const env = {
    HOME: home,
    KOPIA_PASSWORD: password,
    KOPIA_CHECK_FOR_UPDATES: "false",
    AWS_ACCESS_KEY_ID: s3.accessKey,
    AWS_SECRET_ACCESS_KEY: s3.secretKey,
  };
  const plain = protocol === "http:" ? ["--disable-tls"] : [];
  await hand(
    "kopia",
    [
      "repository",
      "connect",
      "s3",
      `--bucket=${s3.bucket}`,
      `--endpoint=${host}`,
      `--prefix=${prefix}`,
      ...plain,
    ],
    env,
  );
  await hand("kopia", ["restore", snapshot, target], env);
}

async function byRestic(asked: BareRestore, home: string, target: string): Promise<void> {
  const { snapshot, claim } = asked;
  const args = ["--no-cache", "restore", `${snapshot}:/${claim}`, "--target", target];
  await hand("restic", args, resticEnv(asked, home));
}

function resticEnv({ s3, prefix, password }: BareRepository, home: string): Readonly<Record<string, string>> {
  return {
    HOME: home,
    RESTIC_PASSWORD: password,
    RESTIC_REPOSITORY: `s3:${s3.endpoint}/${s3.bucket}/${prefix.replace(/\/$/, "")}`,
    AWS_ACCESS_KEY_ID: s3.accessKey,
    AWS_SECRET_ACCESS_KEY: s3.secretKey,
  };
}

async function hand(
  engine: EngineName,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const { code, stderr } = await processes.run(testEngine(engine), args, { env });
  if (code !== 0) throw new Error(`${engine} ${args.join(" ")} ended with ${code}: ${stderr}`);
}
