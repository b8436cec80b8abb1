import { createRouter } from "@tanstack/react-router";
import { rootRoute } from "./layout/root_route.tsx";
import { parseQuery, queryText } from "./layout/scope.ts";
import { activityRoute } from "./screens/activity/route.ts";
import { diffRoute } from "./screens/diff/route.ts";
import { doctorRoute } from "./screens/doctor/route.ts";
import { filesRoute } from "./screens/files/route.ts";
import { lostRoute } from "./screens/lost/route.ts";
import { objectRoute } from "./screens/object/route.ts";
import { overviewRoute } from "./screens/overview/route.ts";
import { repositoriesRoute } from "./screens/repositories/route.ts";
import { repositoryRoute } from "./screens/repository/route.ts";
import { restoreRoute } from "./screens/restore/route.ts";
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
  filesRoute,
  diffRoute,
  restoreRoute,
  activityRoute,
  schedulesRoute,
  repositoriesRoute,
  repositoryRoute,
  doctorRoute,
  objectRoute,
  lostRoute,
];

export function makeRouter() {
  return createRouter({
    routeTree: rootRoute.addChildren(routes),
    parseSearch: parseQuery,
    stringifySearch: (search) => queryText(search),
    defaultErrorComponent: rootRoute.options.errorComponent as never,
  });
}
