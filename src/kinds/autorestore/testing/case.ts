/** An object of a kind that is about to be written, and what becomes of it. */
export interface Case {
  /** Ends the sentence "… takes" or "… refuses". */
  readonly name: string;
  readonly spec: object;
  /** The stored spec that it replaces. */
  readonly old?: object;
  /** The beginning of each problem, as `field: message`. Default: none, it is taken. */
  readonly problems?: readonly string[];
  /** What of the spec is stored. Default: not looked at. */
  readonly stored?: object;
}

/** The cases of one kind. */
export interface KindCases {
  readonly kind: string;
  readonly cases: readonly Case[];
}
