import type { Day } from "../../../src/cli/console/contract.ts";
import { dayText, dayTone, weeksOf } from "../text/days.ts";
import "./calendar.css";

/** So many weeks are a year. */
const WEEKS = 53;

/** A year of backups: a column for each week, a field for each day. */
export function Calendar({ days }: { readonly days: readonly Day[] }) {
  const today = new Date().toISOString();
  const last = days.at(-1)?.day ?? today;
  const weeks = weeksOf(days, last > today.slice(0, 10) ? last : today, WEEKS);
  const shown = weeks.flat();
  const good = shown.filter((day) => dayTone(day) === "good").length;
  const failed = shown.filter(({ failed }) => failed > 0);
  return (
    <>
      <p className="dim">
        Days of the last year with good backups alone: {good}; with failures: {failed.length}.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section className="calendar-scroll" tabIndex={0} aria-label="Calendar of a year">
        <div className="calendar" aria-hidden="true">
          {weeks.map((week) => (
            <div key={week[0]?.day} className="week">
              {week.map((day) => (
                <i key={day.day} className={`tone-${dayTone(day)}`} title={dayText(day)} />
              ))}
            </div>
          ))}
        </div>
      </section>
      {failed.length > 0 ? (
        <details>
          <summary>Days with failures</summary>
          <ul className="says">
            {failed.toReversed().map((day) => (
              <li key={day.day}>{dayText(day)}</li>
            ))}
          </ul>
        </details>
      ) : null}
    </>
  );
}
