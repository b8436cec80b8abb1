import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../layout/root_route.tsx";

export const activityRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/activity",
  component: lazyRouteComponent(() => import("./activity.tsx"), "Activity"),
});
