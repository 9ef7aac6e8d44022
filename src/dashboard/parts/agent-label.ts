import { isolated } from "../ui/isolated";
import type { AgentsQuery } from "./documents.generated";

type Agents = AgentsQuery["agents"];

/** Returns the agent's name, with its slug if another agent has the same name. */
export const labelOf = ({ id, name, slug }: Agents[number], agents: Agents): string =>
  isolated(name) + (agents.some((other) => other.id !== id && other.name === name) ? ` (${slug})` : "");
