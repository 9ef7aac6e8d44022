declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether a route serves the operators of the service rather than its clients. */
    isManagement?: boolean;
  }
}

/** Options of routes for probes and scrapes: they answer under overload too, and whatever the `Host`. */
export const MANAGEMENT = { config: { isManagement: true } } as const;
