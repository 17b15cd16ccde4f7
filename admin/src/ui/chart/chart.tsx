import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { ChartProps } from "./chart-canvas.tsx";

export type { ChartProps, ChartSeries } from "./chart-canvas.tsx";

const Canvas = lazy(() => import("./chart-canvas.tsx"));

/** Lines over time, interrupted by gaps in the data. The code is loaded with the first chart. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<Skeleton height={props.height ?? 240} />}>
      <Canvas {...props} />
    </Suspense>
  );
}
