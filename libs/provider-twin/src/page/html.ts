/** Plain pages without dependencies: escaped text, one style sheet, a strict content policy. */
import type { FastifyReply } from 'fastify';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text that is safe in HTML, including attributes. */
export const escape = (text: unknown): string =>
  String(text ?? '').replace(/[&<>"']/g, (each) => entities[each] ?? each);

/** Cents in the form for people. */
export const money = (cents: number | null | undefined, currency: string | null | undefined): string =>
  cents === null || cents === undefined ? '' : `${(cents / 100).toFixed(2)} ${(currency ?? '').toUpperCase()}`;

/** Seconds since 1970 as a UTC date and time. */
export const when = (seconds: number | null | undefined): string =>
  seconds === null || seconds === undefined
    ? ''
    : new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19);

const style = `
  body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1.5rem; color: #1a1f36; }
  h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
  table { border-collapse: collapse; width: 100%; font-size: .85rem; } th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #e3e8ee; }
  td { font-variant-numeric: tabular-nums; word-break: break-all; } th { color: #697386; font-weight: 600; }
  button { font: inherit; padding: .3rem .8rem; border: 1px solid #635bff; border-radius: 5px; background: #fff; color: #635bff; cursor: pointer; }
  button.main { background: #635bff; color: #fff; } select, input { font: inherit; padding: .3rem; }
  .wrong { color: #b3093c; } .quiet { color: #697386; } form { display: grid; gap: .7rem; max-width: 26rem; }
  .scroll { overflow-x: auto; }`;

/** Sends a page. `script` is the only script that may run on it. */
export function sendPage(
  reply: FastifyReply,
  title: string,
  body: string,
  options: { status?: number; script?: string } = {},
): FastifyReply {
  const script = options.script ? `<script nonce="twin">${options.script}</script>` : '';
  return reply
    .code(options.status ?? 200)
    .header(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-twin'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)}</title><style>${style}</style><main>${body}</main>${script}</html>`,
    );
}

/** A table; cells are given as text and escaped here. */
export function table(headings: string[], rows: unknown[][]): string {
  if (rows.length === 0) return '<p class="quiet">None.</p>';
  const cells = (row: unknown[]): string => row.map((cell) => `<td>${escape(cell)}</td>`).join('');
  return `<div class="scroll"><table><thead><tr>${headings.map((each) => `<th scope="col">${escape(each)}</th>`).join('')}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('')}</tbody></table></div>`;
}
