import { useRouter } from "@tanstack/react-router";
import { type MouseEvent, type ReactNode, useContext } from "react";
import { queryText } from "../layout/scope.ts";
import { ScopeContext } from "../layout/scope_context.ts";
import type { Place } from "../text/links.ts";

interface ToProps {
  readonly place: Place;
  readonly children: ReactNode;
  readonly className?: string | undefined;
  readonly label?: string | undefined;
  readonly onClick?: (() => void) | undefined;
  /** The person is there, or below it. */
  readonly current?: boolean | undefined;
}

/**
 * A link to a place of the console, in the namespace that is looked at. Unlike the router's own it follows nothing, so
 * that a list can hold hundreds.
 */
export function To({ place, children, className, label, onClick, current }: ToProps) {
  const router = useRouter();
  const ns = useContext(ScopeContext);
  const href = `${place.to}${queryText({ ns, ...place.search })}`;
  const follow = (event: MouseEvent) => {
    // Another tab or window is the browser's business.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onClick?.();
    router.history.push(href);
  };
  return (
    <a
      href={href}
      className={className}
      aria-label={label}
      aria-current={current ? "page" : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}
