/** When to try again: soon, with backoff from 30 s; every 5 min, since something around it must change; or only after an edit. */
export type Retry = "transient" | "structural" | "terminal";

export interface ErrorClassInfo {
  readonly retry: Retry;
  /**
   * A run that met it fails at once: it stays so until a person acts, and another attempt would only tell them later.
   * What waits for a repository itself goes on asking, as `retry` says.
   */
  readonly once?: true;
  /** What a person can do, when nothing more exact is known. */
  readonly remedy: string;
}

/** Every way in which an engine fails, and what follows from it. */
export const ERROR_CLASSES = {
  WrongPassword: {
    retry: "terminal",
    remedy:
      "Put the password that the repository was created with into the Secret that the repository names.",
  },
  NotARepository: {
    retry: "structural",
    once: true,
    remedy:
      "Check bucket, prefix and path. Where the repository is meant to be new, allow its creation; where it existed before, find out who removed it first.",
  },
  ForeignData: {
    retry: "terminal",
    remedy: "Choose an empty bucket, prefix or folder for the repository: what lies there is not one.",
  },
  RepositoryReplaced: {
    retry: "terminal",
    remedy:
      "Another repository lies where this one was. Restore the old one, or accept the new one explicitly.",
  },
  Unreachable: {
    retry: "transient",
    remedy:
      "Check that the storage server runs, and that its name, port, certificate and network policies let the mover reach it.",
  },
  UntrustedServer: {
    retry: "structural",
    remedy:
      "Give the certificate authority that signed the server's certificate, or the server's known_hosts line.",
  },
  CredentialsMissing: {
    retry: "structural",
    remedy: "Add the missing keys to the Secret that the repository names.",
  },
  Forbidden: {
    retry: "structural",
    remedy: "Check the access key, and that it may list, read, write and delete in the bucket or folder.",
  },
  BucketMissing: {
    retry: "structural",
    once: true,
    remedy: "Create the bucket or container, or correct its name: it is never created here.",
  },
  ReadOnly: {
    retry: "structural",
    once: true,
    remedy: "Mount the repository writable, or use it for restores only.",
  },
  Full: {
    retry: "structural",
    once: true,
    remedy: "Free or add space where the repository lives, then run full maintenance.",
  },
  CacheFull: {
    retry: "structural",
    once: true,
    remedy: "Enlarge the mover's cache volume, or lower the cache limits.",
  },
  TargetFull: {
    retry: "terminal",
    remedy: "Restore into a larger volume.",
  },
  Locked: {
    retry: "transient",
    remedy: "Wait until the other work has ended. When its owner is dead, unlock the repository.",
  },
  OwnedByAnother: {
    retry: "terminal",
    remedy: "Let the other one maintain the repository, or allow a takeover when it is gone.",
  },
  Corrupt: {
    retry: "terminal",
    remedy:
      "Stop maintenance, keep the storage as it is, and run a check; restore damaged objects from a copy of the repository.",
  },
  SnapshotMissing: {
    retry: "terminal",
    remedy: "Pick a snapshot that the repository lists.",
  },
  PathMissing: {
    retry: "terminal",
    remedy: "Pick a path that the snapshot holds.",
  },
  SourceMissing: {
    retry: "structural",
    once: true,
    remedy: "Check that the volume is mounted in the mover, and that the path exists.",
  },
  SourceUnreadable: {
    retry: "terminal",
    remedy:
      "Let the mover run as the files' owner, by a security context of its own or that of a workload's pod, or as root.",
  },
  PrivilegesNeeded: {
    retry: "terminal",
    remedy:
      "Let the mover run as root, with privileges, or as the files' single owner, or let the restore do its best (ownership BestEffort) and count what it cannot bring back.",
  },
  TargetNotWritable: {
    retry: "terminal",
    remedy: "Let the mover run as the target's owner, and mount the target writable.",
  },
  TargetExists: {
    retry: "terminal",
    remedy: "Restore into an empty folder, or allow overwriting.",
  },
  Unsupported: {
    retry: "terminal",
    remedy: "Leave the option out, or use the other engine.",
  },
  InvalidOption: {
    retry: "terminal",
    remedy: "Correct the option.",
  },
  OutOfMemory: {
    retry: "structural",
    remedy: "Raise the mover's memory limit, or lower its parallelism and cache sizes.",
  },
  Cancelled: {
    retry: "terminal",
    remedy: "Start it again when it is wanted.",
  },
  /** A mover was told to end, and not by the operator; or its source, or its target, was taken from it. */
  Interrupted: {
    retry: "transient",
    remedy:
      "Nothing needs to be done: it is tried again. Where it happens often, find out what ends the mover's pods.",
  },
  /** Said by the operator alone: what kept the mover from starting is in the message. */
  NotStarted: {
    retry: "structural",
    remedy:
      "Put right what keeps the mover's pod from starting, or raise the deadline of its start where it only takes long.",
  },
  Deadline: {
    retry: "transient",
    remedy: "Raise the deadline, or find out what made it slow.",
  },
  EngineMissing: {
    retry: "terminal",
    remedy: "Use a mover image that holds the engine.",
  },
  EngineFailed: {
    retry: "transient",
    remedy:
      "The engine's own words say what is in the way: put that right, then try again with holdfast retry.",
  },
} as const satisfies Readonly<Record<string, ErrorClassInfo>>;

export type ErrorClass = keyof typeof ERROR_CLASSES;

/** When a run that met it is tried again. */
export function retryOfRun(name: ErrorClass): Retry {
  const { retry, once }: ErrorClassInfo = ERROR_CLASSES[name];
  return once ? "terminal" : retry;
}
