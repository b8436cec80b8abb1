import { COST_ROW } from "./cost_row.ts";
import { DURATION_ROW } from "./duration_row.ts";
import { FAILING_ROW } from "./failing_row.ts";
import type { Row } from "./panel.ts";
import { PROTECTED_ROW } from "./protected_row.ts";

/** From the top down: each row answers a question that follows from the one above. */
export const DASHBOARD: readonly Row[] = [PROTECTED_ROW, FAILING_ROW, DURATION_ROW, COST_ROW];
