/** How the program ends, for scripts. The meanings are documented, and stay. */
export const EXIT = {
  /** It was done. */
  done: 0,
  /** It was tried, and failed; a restore's data is in doubt; or `doctor` found something that is broken. */
  failed: 1,
  /** The command line was wrong, or asks for what cannot be as things stand, such as a claim in use: nothing was begun. */
  usage: 2,
  /** Something that was named is not there. */
  notFound: 3,
  /** The cluster refused: not allowed, or refused with a reason. */
  refused: 4,
  /** The cluster could not be reached. */
  unreachable: 5,
  /** The plan was shown, and nobody said yes. */
  notConfirmed: 6,
  /** Somebody pressed Ctrl-C. What was begun in the cluster goes on there. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
