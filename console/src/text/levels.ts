import type { VolumeView } from "../../../src/core/view/view.ts";

/** How much a thing matters: it chooses colour and sign. */
export type Tone = "good" | "warn" | "bad" | "dim" | "busy";

export interface Level {
  readonly tone: Tone;
  readonly label: string;
  readonly means: string;
}

const LEVELS: Readonly<Record<VolumeView["protection"], Level>> = {
  yes: { tone: "good", label: "Safe", means: "It has a good backup and a schedule." },
  elsewhere: {
    tone: "warn",
    label: "Scheduled elsewhere",
    means: "It has a good backup. You may not look at its schedule.",
  },
  "by hand": { tone: "warn", label: "By hand", means: "It has a good backup, and no schedule." },
  "not yet": {
    tone: "warn",
    label: "No backup yet",
    means: "Backups are asked for, and none has succeeded.",
  },
  no: { tone: "bad", label: "Unprotected", means: "Nothing backs it up." },
  exempt: { tone: "dim", label: "Exempt", means: "It is marked as needing no backup." },
  store: { tone: "dim", label: "Holds a repository", means: "Backups are stored on it. It does not count." },
};

const UNSEEN: Level = { tone: "warn", label: "Unknown", means: "Nothing that you may look at backs it up." };

export function levelOf({
  protection,
  wrong,
  unseen,
}: Pick<VolumeView, "protection" | "wrong" | "unseen">): Level {
  if (unseen) return UNSEEN;
  const level = LEVELS[protection];
  return level.tone === "good" && wrong.length > 0 ? { ...level, tone: "warn", label: "Safe, look" } : level;
}

/** States that the list of volumes can be filtered by, with their names. */
export const STATES = [
  ["wanting", "Wants you"],
  ["yes", "Safe"],
  ["elsewhere", "Scheduled elsewhere"],
  ["by hand", "By hand"],
  ["not yet", "No backup yet"],
  ["no", "Unprotected"],
  ["exempt", "Exempt"],
  ["store", "Holds a repository"],
] as const;

/** The tone of a phase, of whatever object. */
export function phaseTone(phase: string): Tone {
  if (/^(ready|succeeded|completed|available|idle|bound|active)$/i.test(phase)) return "good";
  if (/fail|error|lost|unavailable|denied|stalled|unreachable/i.test(phase)) return "bad";
  if (/partial|degraded|suspended|warning|unknown|held|incomplete|blocked/i.test(phase)) return "warn";
  return "busy";
}
