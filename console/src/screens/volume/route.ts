import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../layout/root_route.tsx";

export const volumeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/volumes/$namespace/$name",
  component: lazyRouteComponent(() => import("./volume.tsx"), "Volume"),
});
