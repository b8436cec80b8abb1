import { EngineError } from "../../wire/engine_error.ts";
import type { ErrorClass } from "../../wire/error_classes.ts";
import type { ProgramEnd } from "../running_program.ts";

type Rule = readonly [ErrorClass, RegExp, string];

const AWAY =
  /connection refused|no such host|i\/o timeout|network is unreachable|no route to host|connection reset|TLS handshake|Service ?Unavailable|Internal ?(?:Server ?)?Error|Bad Gateway|Gateway Time-?out|SlowDown|dial tcp|server misbehaving|timed out|(?:despite \d+ retries|from bucket "[^"]*"|"https?:[^"]*"): (?:[^\n]*: )?(?:unexpected )?EOF|write: broken pipe|unable to start rclone|error connecting/i;

/** What kopia's words mean, most telling first. */
const RULES: readonly Rule[] = [
  ["WrongPassword", /invalid repository password/i, "the password does not open the repository"],
  [
    "WrongPassword",
    /unable to decrypt repository blobcfg/i,
    "the password opens a part of the repository alone: a change of it is under way, or was cut off",
  ],
  [
    "SourceUnreadable",
    /error reading placeholder for |invalid placeholder for /,
    "a folder is called as a placeholder of kopia's is, and is none",
  ],
  [
    "Unsupported",
    /LZ4 compressor is not supported/,
    "a part of it is compressed with LZ4, which kopia 0.22.3 was the last to read: copy it with that version into a repository with another compressor",
  ],
  ["EngineMissing", /executable file not found in \$PATH/i, "a program that it needs is not there"],
  [
    "BucketMissing",
    /Bucket name (?:cannot be|contains invalid|must )|InvalidBucketName|specified bucket is not valid|InvalidResourceName/i,
    "the storage does not accept the name of the bucket or container",
  ],
  ["BucketMissing", /PROPFIND \S*: 404/, "the folder does not exist on the server"],
  ["ForeignData", /found existing data in storage location/i, "there is data that is not a repository"],
  [
    "BucketMissing",
    /NoSuchBucket|bucket (?:name )?does not exist|bucket "[^"]*" does not exist|bucket doesn't exist|bucket not found|ContainerNotFound|container does not exist|unable to determine if bucket .* exists.*404/i,
    "the bucket or container does not exist",
  ],
  [
    "UntrustedServer",
    /x509:|certificate signed by unknown|knownhosts: key|failed to verify certificate|key is unknown/i,
    "the server's identity could not be verified",
  ],
  [
    "Forbidden",
    /Authorize \S+: 40[13]|AccessDenied|Access Denied|InvalidAccessKeyId|SignatureDoesNotMatch|AuthenticationFailed|AuthorizationFailure|invalid credentials|unable to authenticate|InvalidTokenId|ExpiredToken|InvalidAuthenticationInfo|signature we calculated does not match|access key Id you provided does not exist|no user exists with the provided access key|unauthorized|forbidden/i,
    "the storage refuses the credentials",
  ],
  [
    "NotARepository",
    /error getting kopia\.repository blob: BLOB not found|cannot access storage path: stat .* no such file/i,
    "there is no repository at that place",
  ],
  [
    "Full",
    /no space left on device|disk quota exceeded|QuotaExceeded|insufficient storage/i,
    "the storage is full",
  ],
  [
    "ReadOnly",
    /read-only file system|repository is read-only|storage is read-only|connected to the repository in read-only mode/i,
    "the storage is read-only",
  ],
  ["OutOfMemory", /cannot allocate memory|out of memory/i, "there was not enough memory"],
  ["Unreachable", AWAY, "the storage does not answer"],
  // Nobody can tell what a list holds that cannot be read.
  ["Corrupt", /unable to load manifest contents/i, "the repository's list of snapshots is damaged"],
  [
    "SnapshotMissing",
    /snapshot not found|unable to find snapshot|manifest not found|no snapshots matched|error loading snapshot/i,
    "the snapshot does not exist",
  ],
  ["PathMissing", /entry not found|parent is not a directory/i, "the snapshot does not hold that path"],
  [
    "Corrupt",
    /BLOB not found|content \S+ not found|object \S+ not found|backed by missing blob|invalid checksum|decryption failed|unable to decrypt|message authentication failed|invalid blob|malformed|corrupt|unexpected EOF|unable to load|invalid format blob/i,
    "the repository is damaged",
  ],
  ["Locked", /repository upgrade in progress/i, "the repository is being upgraded"],
  ["Forbidden", /permission denied|operation not permitted/i, "the storage refuses access"],
  [
    "InvalidOption",
    /unknown long flag|unknown short flag|unexpected argument|expected argument|enum value must be/i,
    "kopia does not know an option",
  ],
  ["Unreachable", /unable to complete \S+ despite \d+ retries/, "the storage fails"],
];

/** Overwriting replaces files by files, and folders by folders. */
const IN_THE_WAY = "a folder of the target is where the snapshot has a file, or the other way round";

/** Words that are about the restore's target, not about the repository. */
const TARGET_RULES: readonly Rule[] = [
  [
    "TargetFull",
    /(?:cannot write data to file|error creating (?:file|directory)|create directory|copy file|create symlink|unable to create|truncate).*(?:no space left on device|disk quota exceeded)/is,
    "the target is full",
  ],
  [
    "PrivilegesNeeded",
    /could not change (?:owner|permissions|mod time).*(?:operation not permitted|permission denied)/is,
    "the mover may not set owners, permissions or times in the target",
  ],
  [
    "TargetNotWritable",
    /(?:error creating|copy file|create directory|create symlink|unable to create|failed to stat).*(?:permission denied|operation not permitted|read-only file system)/is,
    "the target cannot be written",
  ],
  // Some of the data may be written by then: it is not the refusal of a target that holds something.
  ["TargetNotWritable", /already exists|: (?:file exists|not a directory|is a directory)/i, IN_THE_WAY],
];

/** What kopia's words are about. */
export interface Concern {
  /** Whose failures they are about, when in doubt. Default `repository`. */
  readonly context?: "repository" | "target";
  /** A source or a target: what its files are called says nothing. Default: none. */
  readonly folder?: string;
}

/** Turns how kopia ended into an error that says what failed, why and what to do. `what` names the operation. */
export function kopiaFailure(
  what: string,
  end: ProgramEnd,
  { context = "repository", folder }: Concern = {},
): EngineError {
  const detail = end.words.trim();
  const error = (errorClass: ErrorClass, why: string) =>
    new EngineError(errorClass, `${what}: ${why}`, { detail });
  if (end.signal === "SIGKILL") return error("OutOfMemory", "kopia was killed, most likely for its memory");
  const rules = context === "target" ? [...TARGET_RULES, ...RULES] : RULES;
  const words = withoutNames(detail, folder);
  const known = rules.find(([, pattern]) => pattern.test(words));
  if (known?.[2] === IN_THE_WAY) return inTheWay(what, detail, folder);
  if (known) return error(known[0], known[2]);
  const how = end.signal === null ? `ended with exit code ${end.code}` : `was ended by ${end.signal}`;
  return error("EngineFailed", `kopia ${how}`);
}

function inTheWay(what: string, detail: string, folder: string | undefined): EngineError {
  const [, name] =
    (folder &&
      detail
        .split(`${folder}/`)
        .at(-1)
        ?.match(/^(.+?)(?=: |"|$)/m)) ||
    [];
  const remedy = "Move away or delete what is in the way, then restore again.";
  return new EngineError("TargetNotWritable", `${what}: ${IN_THE_WAY}${name ? `: ${name}` : ""}`, {
    detail,
    remedy,
  });
}

/** The words without the names of files that they are about, each up to the colon or quotation mark behind it. */
function withoutNames(words: string, folder: string | undefined): string {
  const named = words
    .replaceAll(/(processing ").*?(?=": )/g, "$1")
    .replaceAll(/(\b(?:FILE|SYMLINK|DIR):).*?(?=: |$)/gm, "$1");
  if (folder === undefined) return named;
  const [before = "", ...behind] = named.split(`${folder}/`);
  return [before, ...behind.map((part) => part.replace(/^.*?(?=: |"|$)/m, ""))].join(folder);
}

/** Whether words say that the storage did not answer, and nothing of what it holds. */
export function isAway(words: string): boolean {
  return AWAY.test(words);
}
