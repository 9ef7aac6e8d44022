import type { HttpOperation } from "../../schema/http-operation";
import type { JsonSchema } from "../json-value";
import { inHeaders } from "./bounds";
import type { ErrorResponses } from "./errors";
import { headers } from "./headers";

/** Returns the path of an operation that needs no API key. */
export const pathOf = (
  tag: string,
  { operationId, summary, path, parameters, body, answers, errors }: HttpOperation,
  responses: ErrorResponses,
): [path: string, item: JsonSchema] => [
  path,
  {
    post: {
      operationId,
      summary,
      description: summary,
      tags: [tag],
      security: [],
      parameters: inHeaders(parameters),
      requestBody: { required: true, content: body },
      responses: {
        ...Object.fromEntries(
          Object.entries(answers).map(([status, { description, ...content }]) => [
            status,
            {
              description,
              headers: headers(),
              ...(content.schema && { content: { "application/json": content } }),
            },
          ]),
        ),
        ...responses.ofCodes(errors),
      },
    },
  },
];
