import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../layout/root_route.tsx";

export const snapshotsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/snapshots",
  component: lazyRouteComponent(() => import("./snapshots.tsx"), "Snapshots"),
});
