import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../layout/root_route.tsx";

export const doctorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/doctor",
  component: lazyRouteComponent(() => import("./doctor.tsx"), "Doctor"),
});
