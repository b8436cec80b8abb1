import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../layout/root_route.tsx";

export const volumesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/volumes",
  component: lazyRouteComponent(() => import("./volumes.tsx"), "Volumes"),
});
