import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";

/** Max tokens of all cached documents; a token uses about 700 bytes, including its share of the tree and the plan. */
const MAX_TOKENS = 50_000;
/** Max characters of a cached document; comments and long strings add few tokens. */
const MAX_CHARACTERS = 10_000;

/** Caches valid documents by text: clients repeat a few with different variables, and each is compiled once. */
export class KnownDocuments {
  private readonly documents = new LRUCache<string, DocumentNode>({
    maxSize: MAX_TOKENS,
    sizeCalculation: weigh,
  });

  get(text: string): DocumentNode | undefined {
    return this.documents.get(text);
  }

  /** Caches a valid document by its text, unless the text is too long. */
  add(text: string, document: DocumentNode): void {
    if (text.length <= MAX_CHARACTERS) this.documents.set(text, document);
  }
}

/** Returns the number of tokens in a document, which bounds the size of its tree. */
function weigh({ loc }: DocumentNode): number {
  let tokens = 0;
  for (let token = loc?.startToken ?? null; token !== null; token = token.next) tokens += 1;
  return tokens;
}
