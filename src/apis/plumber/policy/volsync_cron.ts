import { parseCron } from "../../../core/policy/cron.ts";
import { err, ok, type Result } from "../../../lib/result.ts";

/** What VolSync's CRD takes for a field, of what `parseCron` leaves: numbers, or one range. */
const FIELD = /^((\d+,)*\d+|\d+-\d+|\*)$/;
const PART = /^(\d+)(?:-(\d+)(?:\/([1-9]\d*))?)?$/;

/** An expression as VolSync takes it, which knows no `H` and few forms: the same times, or why there are none such. */
export function volsyncCron(expression: string, seed: string): Result<string, string> {
  const parsed = parseCron({ expression, seed });
  if (!parsed.ok) return parsed;
  const { text, zone } = parsed.value;
  const fields = text.slice(0, -zone.name.length - 1).split(" ");
  const written = fields.map((field) => (FIELD.test(field) ? field : numbersOf(field)));
  const refused = fields.find((_, index) => written[index] === undefined);
  if (refused === undefined) return ok(written.join(" "));
  return err(`VolSync does not take ${refused}: write numbers, ranges such as 1-5, and steps such as */2`);
}

/** The numbers that a field stands for, such as 1,31 for 1-59/30. */
function numbersOf(field: string): string | undefined {
  const parts = field.split(",").map((part) => PART.exec(part));
  const numbers = parts.flatMap((part) => {
    if (!part) return [];
    const [, from = "", to = from, step = "1"] = part;
    const count = Math.floor((Number(to) - Number(from)) / Number(step)) + 1;
    return Array.from({ length: count }, (_, at) => Number(from) + at * Number(step));
  });
  return parts.includes(null) ? undefined : numbers.join(",");
}
