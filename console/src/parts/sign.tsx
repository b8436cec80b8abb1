import type { Tone } from "../text/levels.ts";

const PATHS: Readonly<Record<Tone, string>> = {
  good: "M3 8.5l3.2 3.2L13 5",
  warn: "M8 3v6.5M8 12.6v.4",
  bad: "M4 4l8 8M12 4l-8 8",
  dim: "M3.5 8h9",
  busy: "M8 2a6 6 0 1 0 6 6M8 4.5V8l2.5 1.5",
};

/** A sign beside a colour, for who does not see the colour. */
export function Sign({ tone }: { readonly tone: Tone }) {
  return (
    <svg className={`sign tone-${tone}`} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={PATHS[tone]} fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
