import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../api/api-error";
import { loadedOnce } from "../api/client";
import { type JsonSchema, withDefinitions } from "./json-schema";

/** Returns the JSON Schema for configurations, which the server publishes for editors. */
export const useSchema = () =>
  useQuery({
    queryKey: ["configuration schema"],
    queryFn: async (): Promise<JsonSchema> => {
      const response = await fetch("/agent/configuration/schema");
      if (!response.ok) throw new ApiError("No schema.", "unreachable");
      return withDefinitions(await response.json());
    },
    staleTime: loadedOnce,
  });
