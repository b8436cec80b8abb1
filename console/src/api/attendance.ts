/** So long after somebody touched the page, in milliseconds, what it asks is their question. */
const WHILE = 60_000;
const TOUCHES = ["pointerdown", "keydown", "wheel", "touchmove"] as const;

/** Whoever opens the page is there. */
let touchedAt = Date.now();

/** Notices whoever uses the page. */
export function watchAttendance(page: Pick<Window, "addEventListener">): void {
  const touched = () => {
    touchedAt = Date.now();
  };
  for (const type of TOUCHES) page.addEventListener(type, touched, { passive: true, capture: true });
}

/** Whether somebody uses the page: else it asks by itself, and that keeps no sign-in. */
export function isAttended(now = Date.now()): boolean {
  return now - touchedAt < WHILE;
}
