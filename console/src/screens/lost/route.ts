import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../layout/root_route.tsx";

export const lostRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/lost",
  component: lazyRouteComponent(() => import("./lost.tsx"), "Lost"),
});
