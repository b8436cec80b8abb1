import { misuse } from "./problem.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A moment as people say it: `2h ago`, `1d12h ago`, `yesterday`, or a time such as 2026-05-24T03:00:00Z; as the API wants it. */
export function momentIn(option: string, text: string, now: number): string {
  const said = text.trim();
  const ago = said === "yesterday" ? 86_400 : secondsAgo(said);
  if (ago !== undefined) return timeText(now - ago * 1000);
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(said)
    ? Date.parse(said)
    : Number.NaN;
  if (!Number.isNaN(at)) return timeText(at);
  throw misuse(
    `--${option} is ${JSON.stringify(text)}, which is no moment`,
    'Write it as "2h ago", "3d ago", or as a time with its zone, such as 2026-05-24T03:00:00Z.',
  );
}

function secondsAgo(text: string): number | undefined {
  const [, parts] = /^((?:\d{1,6}[smhdw])+)(?:\s+ago)?$/.exec(text) ?? [];
  return parts
    ?.match(/\d+[smhdw]/g)
    ?.reduce((sum, part) => sum + Number(part.slice(0, -1)) * (UNITS[part.slice(-1)] ?? 0), 0);
}

function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
