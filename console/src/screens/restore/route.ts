import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../layout/root_route.tsx";

export const restoreRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/restore",
  component: lazyRouteComponent(() => import("./restore.tsx"), "RestorePage"),
});
