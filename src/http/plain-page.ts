import { createHash } from "node:crypto";

const STYLE = `body{font:1.125rem/1.5 system-ui,sans-serif;max-width:30rem;margin:15vh auto;padding:0 1.5rem;overflow-wrap:anywhere;color:#1f2328;background:#fff}
h1{font-size:1.5rem}a{color:inherit}button{font:inherit;padding:.5rem 1.25rem;border:0;border-radius:.5rem;color:#fff;background:#1f2328;cursor:pointer}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181b}button{color:#16181b;background:#e6e6e6}}`;

/** Headers of the pages, which run no scripts, load no resources and are not indexed by search engines. */
export const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  "x-robots-tag": "noindex, nofollow",
} as const;

/** Creates a page; `heading` and `content` are HTML. */
export const plainPage = (heading: string, content: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex, nofollow"><title>${heading}</title><style>${STYLE}</style></head>
<body><main><h1>${heading}</h1>
${content}
</main></body></html>
`;

/** The page that is shown if a link is invalid. */
export const INVALID_LINK = plainPage(
  "This link is not valid",
  "<p>Open the link in the message again, or copy the whole link.</p>",
);
