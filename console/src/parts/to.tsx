import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Query } from "../layout/scope.ts";
import type { Place } from "../text/links.ts";

interface ToProps {
  readonly place: Place;
  readonly children: ReactNode;
  readonly className?: string | undefined;
  readonly label?: string | undefined;
  readonly onClick?: (() => void) | undefined;
  /** Marked while the person is there, also below it. */
  readonly nav?: boolean;
}

/** A link to a place of the console, in the namespace that is looked at. */
export function To({ place, children, className, label, onClick, nav = false }: ToProps) {
  const search = (before: Query) => ({ ns: before.ns, ...place.search });
  return (
    <Link
      to={place.to}
      search={search as never}
      className={className}
      aria-label={label}
      onClick={onClick}
      activeOptions={{ exact: place.to === "/", includeSearch: false }}
      {...(nav ? { activeProps: { "aria-current": "page" } } : {})}
    >
      {children}
    </Link>
  );
}
