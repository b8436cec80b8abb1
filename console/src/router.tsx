import { createRouter } from "@tanstack/react-router";
import { rootRoute } from "./layout/root_route.tsx";
import { parseQuery, queryText } from "./layout/scope.ts";
import { overviewRoute } from "./screens/overview/route.ts";

/** Every screen has its route in its folder, and is loaded when a person goes there. */
const routes = [overviewRoute];

export function makeRouter() {
  return createRouter({
    routeTree: rootRoute.addChildren(routes),
    parseSearch: parseQuery,
    stringifySearch: (search) => queryText(search),
    defaultPreload: "intent",
    defaultErrorComponent: rootRoute.options.errorComponent as never,
  });
}
