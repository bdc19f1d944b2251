/** A refusal on the way into the console or the owner's pages, as a page for the person who came: what happened, and the way to try again. */
import { createHash } from 'node:crypto';
import type { ProblemDocument, ProblemPage } from '@platform/http-server';
import { signInSites } from './sign-in-routes';

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}';
const styleHash = createHash('sha256').update(style).digest('base64');
const headers = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character]!);

/** Undefined for addresses that do not belong to the sign-in. */
export function signInPage({ title, detail, status }: ProblemDocument, path: string): ProblemPage | undefined {
  const site = Object.values(signInSites).find(
    ({ base }) => path === `${base}/sign-in` || path === `${base}/signed-in`,
  );
  if (!site) return undefined;
  return {
    headers,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title><style>${style}</style></head>
<body><main><h1>${escape(title)}</h1>
<p role="alert">${escape(detail)}</p>
<p>This sign-in did not succeed, and nothing was changed (HTTP ${status}).</p>
<p><a href="${site.base}/sign-in">Sign in again</a> · <a href="${site.base}">${escape(site.title)}</a></p></main></body>
</html>
`,
  };
}
