/**
 * Whether a name fits a pattern of `*` (any characters), `?` (one) and literal ones. In time proportional to the
 * product of both lengths, whatever the pattern.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  const wanted = [...pattern];
  const given = [...name];
  let at = 0;
  let star = -1;
  let retry = 0;
  for (let i = 0; i < given.length; ) {
    if (wanted[at] === "*") {
      star = at++;
      retry = i;
    } else if (at < wanted.length && (wanted[at] === "?" || wanted[at] === given[i])) {
      at++;
      i++;
    } else if (star >= 0) {
      // The last star takes one character more.
      at = star + 1;
      i = ++retry;
    } else return false;
  }
  while (wanted[at] === "*") at++;
  return at === wanted.length;
}
