import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";

/** Max tokens of all kept documents together. A token costs some 700 bytes, with its part of the tree and the plan. */
const MAX_TOKENS = 50_000;
/** Max characters of a document that is kept: comments and strings are few tokens but may be long. */
const MAX_CHARACTERS = 10_000;

/**
 * Valid documents by their exact text. Clients send the same few documents again and again, with variables for what
 * differs, so parsing, validating and planning them once is enough.
 */
export class KnownDocuments {
  private readonly documents = new LRUCache<string, DocumentNode>({
    maxSize: MAX_TOKENS,
    sizeCalculation: weigh,
  });

  get(text: string): DocumentNode | undefined {
    return this.documents.get(text);
  }

  /** Keeps a document that was parsed from a text and is valid, as long as there is room. */
  add(text: string, document: DocumentNode): void {
    if (text.length <= MAX_CHARACTERS) this.documents.set(text, document);
  }
}

/** The tokens that the parser made: they bound the fields, arguments and values of the tree. */
function weigh({ loc }: DocumentNode): number {
  let tokens = 0;
  for (let token = loc?.startToken ?? null; token !== null; token = token.next) tokens += 1;
  return tokens;
}
