import type { Location } from "./location.ts";

type Values = Readonly<Record<string, string>>;

/** Those that restic takes once for all servers that it speaks HTTPS with. */
const TLS_FLAGS = ["--cacert", "--insecure-tls"];
const OVER_HTTPS = /^(s3|azure|gs|b2):/;

/** Of what two repositories need different values, while restic takes one for both. Empty when it can copy. */
export function copyClash(a: Location, b: Location): readonly string[] {
  // What one of them has alone, the other would use too: on storage of another kind it means nothing there.
  const alone = kindOf(a) === kindOf(b);
  const flags = [a, b].every(({ repository }) => OVER_HTTPS.test(repository))
    ? TLS_FLAGS.filter((flag) => a.args.includes(flag) !== b.args.includes(flag))
    : [];
  return [
    ...differing(a.env, b.env, alone),
    ...differing(optionsOf(a), optionsOf(b), alone),
    // A file that only one has is named by its environment or its flags.
    ...differing(textsOf(a), textsOf(b), false),
    ...flags,
  ];
}

/** `alone`: also what only one of them has. */
function differing(a: Values, b: Values, alone: boolean): readonly string[] {
  const inBoth = (name: string) => a[name] !== undefined && b[name] !== undefined;
  return Object.keys({ ...a, ...b }).filter((name) => a[name] !== b[name] && (alone || inBoth(name)));
}

/** As the repository's address begins. */
function kindOf({ repository }: Location): string {
  return /^\w+(?=:)/.exec(repository)?.[0] ?? "";
}

function optionsOf({ args }: Location): Values {
  const options = args.filter((_, at) => args[at - 1] === "-o");
  return Object.fromEntries(options.map((option) => option.split(/=(.*)/s)));
}

function textsOf({ files }: Location): Values {
  return Object.fromEntries(files.map(({ name, text }) => [name, text]));
}
