/** An object as a command line names it, with its namespace: `backup/monday -n home`. */
export function namedText({
  kind,
  metadata: { namespace, name },
}: {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
}): string {
  return `${kind.toLowerCase()}/${name}${namespace === undefined ? "" : ` -n ${namespace}`}`;
}
