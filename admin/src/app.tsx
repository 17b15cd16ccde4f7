// Style sheets of components override these two.
import "./ui/theme/mantine.css";
import "./ui/theme/base.css";
import "./ui/theme/touch.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createQueryClient } from "./api/queries.ts";
import { styleNonce } from "./csp.ts";
import { createAppRouter } from "./router.tsx";
import { resolveVariables, theme } from "./ui/theme/theme.ts";

const queries = createQueryClient();
const router = createAppRouter(queries);

/** The app: providers around the router, which renders the shell and the screens. */
export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={resolveVariables}
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
