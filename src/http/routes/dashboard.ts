import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { addBuiltPage } from "./built-page";

/** The Content-Security-Policy: only same-origin resources, no inline code, no form submission. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Adds `/dashboard`, and the same page for every path below it, so that deep links work. All other pages use its icon
 * (`/favicon.ico`).
 */
export async function addDashboard(app: FastifyInstance, directory: string): Promise<void> {
  const assets = join(directory, "assets");
  const icon = existsSync(assets) && readdirSync(assets).find((name) => /^icon-.+\.svg$/.test(name));
  if (icon) app.get("/favicon.ico", async (_, reply) => reply.redirect(`/dashboard/assets/${icon}`));
  await addBuiltPage(app, {
    name: "The dashboard",
    paths: ["/dashboard", "/dashboard/*"],
    directory,
    policy: POLICY,
    config: { api: "dashboard" },
  });
}
