import { EngineError } from "../../wire/engine_error.ts";
import { type ResticProgram, runRestic } from "./command.ts";

const CREDENTIALS: ReadonlySet<string> = new Set([
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
]);

/** More than restic allows, which it says once it has looked for the bucket, and before it writes anything. */
const PACK_SIZE = "1024";

/**
 * Rejects with `BucketMissing` when an S3 bucket is not there. restic would create it, and says nothing of it while it
 * only looks. As nobody in particular it may not: then its attempt tells a bucket that is missing from one that is
 * closed. No repository comes of it, also where anybody may write.
 */
export async function requireBucket(
  { env, args, ...restic }: ResticProgram,
  what: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const anonymous = Object.fromEntries(Object.entries(env).filter(([name]) => !CREDENTIALS.has(name)));
  const program = { ...restic, env: anonymous, args: [...args, "-o", "s3.unsafe-anonymous-auth=true"] };
  try {
    await runRestic(program, ["init", "--pack-size", PACK_SIZE], { what, signal, patience: "Short" });
  } catch (error) {
    if (!(error instanceof EngineError) || error.class === "Cancelled" || error.class === "Deadline")
      throw error;
    const { detail = "" } = error;
    if (!/client\.MakeBucket|NoSuchBucket|bucket does not exist/.test(detail)) return;
    throw new EngineError("BucketMissing", `${what}: the bucket does not exist`, { detail });
  }
}
