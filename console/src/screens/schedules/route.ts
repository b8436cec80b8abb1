import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../layout/root_route.tsx";

export const schedulesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/schedules",
  component: lazyRouteComponent(() => import("./schedules.tsx"), "Schedules"),
});
