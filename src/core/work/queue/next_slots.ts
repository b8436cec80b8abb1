import type { Claimant } from "./place.ts";

/** Somebody who waits. */
export interface Waiter extends Claimant {
  readonly id: string;
  /** When it began to wait, in milliseconds since 1970. */
  readonly since: number;
}

export interface SeatsQuestion {
  readonly waiting: readonly Waiter[];
  /** Who has a seat now; those of unknown tenants count as a tenant of their own. */
  readonly seated: readonly Partial<Claimant>[];
  /** How many may have one at once. */
  readonly seats: number;
  readonly now: number;
}

/** For each such time of waiting one moves up by a rank, so that nobody waits for ever, in milliseconds. */
const PROMOTION = 3_600_000;

/**
 * Who gets the seats that are free, in order. Of the lowest rank, the namespace that has the fewest seats comes first,
 * in it the recipe that has the fewest, and of that the one that waits longest. Pure, and the same in every process.
 */
export function nextSlots({ waiting, seated, seats, now }: SeatsQuestion): readonly Waiter[] {
  if (seated.some(({ exclusive }) => exclusive)) return [];
  const held = new Map<string, number>();
  for (const { tenant } of seated) take(held, tenant);
  const left = new Set(waiting);
  const next: Waiter[] = [];
  while (left.size > 0 && seated.length + next.length < seats) {
    const first = firstOf(left, held, now);
    if (!first) break;
    // It waits until nobody works, and nobody may begin before it.
    if (first.exclusive) return seated.length + next.length === 0 ? [first] : next;
    next.push(first);
    left.delete(first);
    take(held, first.tenant);
  }
  return next;
}

function firstOf(waiting: Iterable<Waiter>, held: ReadonlyMap<string, number>, now: number) {
  let first: Waiter | undefined;
  for (const one of waiting) if (!first || comesBefore(one, first, held, now)) first = one;
  return first;
}

function comesBefore(a: Waiter, b: Waiter, held: ReadonlyMap<string, number>, now: number): boolean {
  const has = (key: string) => held.get(key) ?? 0;
  const difference =
    rankOf(a, now) - rankOf(b, now) ||
    has(namespaceOf(a.tenant)) - has(namespaceOf(b.tenant)) ||
    has(a.tenant) - has(b.tenant) ||
    a.since - b.since;
  return difference === 0 ? a.id < b.id : difference < 0;
}

function rankOf({ rank, since }: Waiter, now: number): number {
  return Math.max(0, rank - Math.max(0, Math.floor((now - since) / PROMOTION)));
}

function take(held: Map<string, number>, tenant: string | undefined): void {
  if (tenant === undefined) return;
  for (const key of new Set([namespaceOf(tenant), tenant])) held.set(key, (held.get(key) ?? 0) + 1);
}

function namespaceOf(tenant: string): string {
  return tenant.split("/", 1)[0] ?? "";
}
