import { EngineError } from "../../wire/engine_error.ts";
import type { ErrorClass } from "../../wire/error_classes.ts";
import type { ProgramEnd } from "../running_program.ts";
import { reasonIn, toldBy } from "./output_line.ts";

/** Exit codes that mean one thing, whatever else is said. */
const CODES = { noRepository: 10, locked: 11, wrongPassword: 12 } as const;

/** What is known from the words, most telling first. */
const WORDS: readonly (readonly [ErrorClass, RegExp, string])[] = [
  [
    "BucketMissing",
    /Bucket name (?:cannot be|contains invalid|must )|InvalidBucketName|specified bucket is not valid|InvalidResourceName/i,
    "the storage does not accept the name of the bucket or container",
  ],
  [
    "BucketMissing",
    /NoSuchBucket|bucket does not exist|bucket doesn't exist|ContainerNotFound|container does not exist|bucket not found|repository does not exist at b2:|Required parameter: project|Unknown project id/i,
    "the bucket or container does not exist",
  ],
  [
    "UntrustedServer",
    /x509:|certificate signed by unknown|knownhosts:|no common algorithm for host key|failed to verify certificate/i,
    "the server's identity could not be verified",
  ],
  [
    "Forbidden",
    /AccessDenied|Access Denied|InvalidAccessKeyId|SignatureDoesNotMatch|AuthenticationFailed|AuthorizationFailure|unable to authenticate|\b40[13]\b|unauthorized|forbidden|InvalidAuthenticationInfo/i,
    "the storage refuses the credentials",
  ],
  ["ReadOnly", /read-only file system/i, "the storage is read-only"],
  [
    "Full",
    /no space left on device|disk quota exceeded|QuotaExceeded|insufficient storage/i,
    "the storage is full",
  ],
  ["OutOfMemory", /cannot allocate memory|out of memory/i, "there was not enough memory"],
  [
    "Unreachable",
    /connection refused|no such host|i\/o timeout|network is unreachable|no route to host|connection reset|TLS handshake|Service ?Unavailable|InternalError|SlowDown|\b50[0234]\b|dial tcp|ssh command exited|unable to start the sftp session|server misbehaving|Connection closed|Connection timed out|retrying after|(?:Load|Save|List|Stat)\(<[^\n]*unexpected EOF/i,
    "the storage does not answer",
  ],
  [
    "SnapshotMissing",
    // Azure's answer has lines of its own.
    /failed to find snapshot: failed to load snapshot[^\n]*(no such file or directory|does(?: not|n't) exist|not found|: 404: |\n-+\nRESPONSE 404)/i,
    "the snapshot does not exist",
  ],
  [
    "Corrupt",
    /ciphertext verification failed|invalid data returned|wrong data returned|not found in index|repository contains errors|file has size|invalid character|unexpected EOF|pack .* (missing|does not exist)|not found in repository|decompress/i,
    "the repository is damaged",
  ],
  [
    "SnapshotMissing",
    /no matching ID|no snapshot found|could not find snapshot/i,
    "the snapshot does not exist",
  ],
  [
    "PathMissing",
    /path [^\n]*: not found|cannot find .* in snapshot/i,
    "the snapshot does not hold that path",
  ],
  [
    "SourceMissing",
    /all source directories\/files do not exist|all target directories\/files do not exist/i,
    "the source does not exist",
  ],
  ["Forbidden", /permission denied|operation not permitted/i, "the storage refuses access"],
  [
    "Corrupt",
    /no such file or directory|specified (?:key|blob) does not exist|file does not exist|object doesn't exist|<data\/\w+> does not exist|b2_download_file_by_name: 404/i,
    "a file of the repository is missing",
  ],
  [
    "InvalidOption",
    /unknown flag|unknown shorthand|invalid argument|unknown command/i,
    "restic does not know an option",
  ],
];

/** Said of a request that restic repeats, also where that then succeeds: whether it did, other lines tell. */
const REPEATED = /returned error, retrying after|operation successful after/;

/**
 * Turns how restic ended into an error that says what failed, why and what to do. `what` names the operation, `ended`
 * that it was ended for what it repeated.
 */
export function resticFailure(what: string, end: ProgramEnd, { ended = false } = {}): EngineError {
  const lines = end.words.trim().split("\n");
  const detail = lines.map(toldBy).join("\n").trim();
  const reasons = lines.map(reasonIn);
  const error = (errorClass: ErrorClass, why: string) =>
    new EngineError(errorClass, `${what}: ${why}`, { detail });
  if (end.code === CODES.wrongPassword)
    return error("WrongPassword", "the password does not open the repository");
  if (end.code === CODES.locked) return error("Locked", lockWords(detail));
  if (end.signal === "SIGKILL") return error("OutOfMemory", "restic was killed, most likely for its memory");
  const last = ended ? [] : reasons.filter((reason) => !REPEATED.test(reason));
  const known = knownFrom(last) ?? knownFrom(reasons);
  if (end.code === CODES.noRepository && known?.[0] !== "BucketMissing") {
    return error("NotARepository", "there is no repository at that place");
  }
  if (known !== undefined) return error(known[0], known[2]);
  const how = end.signal === null ? `ended with exit code ${end.code}` : `was ended by ${end.signal}`;
  return error("EngineFailed", `restic ${how}`);
}

function knownFrom(reasons: readonly string[]): (typeof WORDS)[number] | undefined {
  const words = reasons.join("\n");
  return WORDS.find(([, pattern]) => pattern.test(words));
}

/** Whether words say that the storage did not answer, and nothing of what it holds. */
export function isAway(words: string): boolean {
  return resticFailure("", { code: 1, signal: null, words }).class === "Unreachable";
}

/** Who holds the lock and since when, as restic says it. */
function lockWords(detail: string): string {
  const owner = /locked (?:exclusively )?by (PID \d+ on \S+)/.exec(detail)?.[1];
  const since = /lock was created at ([\d-]+ [\d:]+)/.exec(detail)?.[1];
  if (owner === undefined) return "the repository is locked";
  return `the repository is locked by ${owner}${since === undefined ? "" : ` since ${since}`}`;
}

/**
 * What a restore's failure on files of the target means; undefined when it says nothing about the target. `detail`: the
 * reasons with the files' names, which say nothing about what went wrong.
 */
export function targetFailure(what: string, reasons: string, detail = reasons): EngineError | undefined {
  if (/no space left on device|disk quota exceeded/i.test(reasons)) {
    return new EngineError("TargetFull", `${what}: the target is full`, { detail });
  }
  if (/permission denied|operation not permitted|read-only file system/i.test(reasons)) {
    return new EngineError("TargetNotWritable", `${what}: the target cannot be written`, { detail });
  }
  return undefined;
}
