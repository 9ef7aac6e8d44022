import type { DocumentNode, OperationDefinitionNode } from "graphql";
import { getOrCreate } from "../common/get-or-create";
import { everyRootField } from "../schema/access";

const MAX_LENGTH = 200;

/** Names by operation; known documents keep their operations. */
const names = new WeakMap<OperationDefinitionNode, string>();

/**
 * Returns an operation's type and root fields, such as `query pets, whoami`. The name in the document is not used,
 * because the client chooses it.
 */
export const nameOfOperation = (document: DocumentNode, operation: OperationDefinitionNode): string =>
  getOrCreate(names, operation, () => {
    const fields = new Set<string>();
    everyRootField(document, [operation], (name) => fields.add(name) !== undefined);
    return `${operation.operation} ${[...fields].sort().join(", ")}`.slice(0, MAX_LENGTH);
  });
