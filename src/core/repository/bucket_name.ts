/** Why a storage does not accept a name, in words; the kinds of storage that have no buckets are not here. */
interface NameRule {
  readonly shortest: number;
  readonly longest: number;
  readonly pattern: RegExp;
  /** What the pattern means. */
  readonly form: string;
  /** What no name may have besides. */
  readonly never?: readonly { readonly pattern: RegExp; readonly why: string }[];
}

const ADDRESS = { pattern: /^\d+\.\d+\.\d+\.\d+$/, why: "it is an IP address" };

const RULES = {
  // As wide as the engines take it: old buckets of Amazon, and servers of others, have capital letters and underscores.
  s3: {
    shortest: 3,
    longest: 63,
    pattern: /^[A-Za-z0-9][A-Za-z0-9._:-]*[A-Za-z0-9]$/,
    form: "letters, digits, dots, hyphens and underscores, with a letter or digit first and last",
    never: [ADDRESS, { pattern: /\.\.|\.-|-\./, why: "dots and hyphens stand beside each other" }],
  },
  gcs: {
    shortest: 3,
    longest: 222,
    pattern: /^[a-z0-9][a-z0-9._-]*[a-z0-9]$/,
    form: "small letters, digits, dots, hyphens and underscores, with a letter or digit first and last",
    never: [
      ADDRESS,
      { pattern: /[^.]{64}/, why: "a part between dots is longer than 63 characters" },
      { pattern: /^goog|google/, why: "names of Google are reserved" },
    ],
  },
  azure: {
    shortest: 3,
    longest: 63,
    pattern: /^(?:\$root|\$web|[a-z0-9](?:-?[a-z0-9])*)$/,
    form: "small letters, digits and single hyphens, with a letter or digit first and last",
  },
  b2: {
    shortest: 6,
    longest: 63,
    pattern: /^[A-Za-z0-9-]*$/,
    form: "letters, digits and hyphens",
    never: [{ pattern: /^b2-/i, why: "names that begin with b2- are reserved" }],
  },
} as const satisfies Readonly<Record<string, NameRule>>;

export type NamedStorage = keyof typeof RULES;

export function hasBuckets(storage: string): storage is NamedStorage {
  return storage in RULES;
}

/** Why the storage cannot have a bucket, or container, of this name. */
export function bucketNameProblem(storage: NamedStorage, name: string): string | undefined {
  const { shortest, longest, pattern, form, never = [] }: NameRule = RULES[storage];
  if (name.length < shortest || name.length > longest)
    return `a name has ${shortest} to ${longest} characters there, and this one has ${name.length}`;
  if (!pattern.test(name)) return `a name has ${form}`;
  return never.find((one) => one.pattern.test(name))?.why;
}
