import type { DocumentTypeDecoration } from "@graphql-typed-document-node/core";

/** The text of a GraphQL document, with the types of its result and variables. */
export class TypedDocumentString<Result, Variables>
  extends String
  implements DocumentTypeDecoration<Result, Variables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<Result, Variables>["__apiType"]>;

  /** @param _fragment added by the generator for fragments; unused */
  constructor(text: string, _fragment?: unknown) {
    super(text);
  }

  override toString(): string & DocumentTypeDecoration<Result, Variables> {
    return this.valueOf();
  }
}
