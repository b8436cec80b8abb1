import { createRouter } from "@tanstack/react-router";
import { rootRoute } from "./layout/root_route.tsx";
import { parseQuery, queryText } from "./layout/scope.ts";
import { activityRoute } from "./screens/activity/route.ts";
import { doctorRoute } from "./screens/doctor/route.ts";
import { objectRoute } from "./screens/object/route.ts";
import { overviewRoute } from "./screens/overview/route.ts";
import { repositoriesRoute } from "./screens/repositories/route.ts";
import { repositoryRoute } from "./screens/repository/route.ts";
import { schedulesRoute } from "./screens/schedules/route.ts";
import { snapshotsRoute } from "./screens/snapshots/route.ts";
import { volumeRoute } from "./screens/volume/route.ts";
import { volumesRoute } from "./screens/volumes/route.ts";

/** Every screen has its route in its folder, and is loaded when a person goes there. */
const routes = [
  overviewRoute,
  volumesRoute,
  volumeRoute,
  snapshotsRoute,
  activityRoute,
  schedulesRoute,
  repositoriesRoute,
  repositoryRoute,
  doctorRoute,
  objectRoute,
];

export function makeRouter() {
  return createRouter({
    routeTree: rootRoute.addChildren(routes),
    parseSearch: parseQuery,
    stringifySearch: (search) => queryText(search),
    defaultPreload: "intent",
    defaultErrorComponent: rootRoute.options.errorComponent as never,
  });
}
