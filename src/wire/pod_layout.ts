/** Where things are in a mover's pod. Operator and mover agree on these. */
export const POD_LAYOUT = {
  /** The work spec. */
  work: "/holdfast/work/work.json",
  /** One file per credential key of the backend. */
  credentials: "/holdfast/credentials",
  /** One file, the repository's password. */
  password: "/holdfast/password/password",
  /** The same two for the second repository of a copy. */
  destinationCredentials: "/holdfast/destination/credentials",
  destinationPassword: "/holdfast/destination/password/password",
  /** A volume is mounted in a folder of its name below this. */
  volumes: "/holdfast/volumes",
  /** The volume that holds a repository in a file system. */
  repository: "/holdfast/repository",
  /** Engines keep their caches here. */
  cache: "/holdfast/cache",
  /** Everything else that is written, and TMPDIR. */
  scratch: "/tmp",
  /** Once this file is there, a prepared mover starts. */
  start: "/tmp/start",
  termination: "/dev/termination-log",
} as const;

/** How the mover is started, in its image and on a machine that stands in for it. */
const MOVER_PROGRAM = ["/usr/local/bin/node", "/usr/local/lib/holdfast/mover.mjs"] as const;

/** The mover's argument for making the file `start`. */
export const START_ARGUMENT = "start";

/** Run in the mover's container, it tells a prepared mover to start. */
export const START_COMMAND = [...MOVER_PROGRAM, START_ARGUMENT] as const;
