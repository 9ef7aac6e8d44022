declare module "fastify" {
  interface FastifyContextConfig {
    /** True if a route serves operators rather than clients. */
    isManagement?: boolean;
  }
}

/** Options of routes for probes and scrapes, which respond even under overload and to any `Host`. */
export const MANAGEMENT = { config: { isManagement: true } } as const;
