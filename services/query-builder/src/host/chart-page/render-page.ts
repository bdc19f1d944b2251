/** Whole documents: the chart page, the list of pages, and refusals with a way to sign in. */
import { pageRoutePrefix } from '@platform/base/page';
import type { LoadedPage } from '../project/load-page';
import { assetPaths } from './assets';
import { html, type Markup } from './html';
import type { BlockKind } from './render-block';

export const sessionPath = `${pageRoutePrefix}-session`;

/** Scripts, styles and pictures of this host only; nothing inline, nothing from elsewhere, no framing. */
export const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'private, no-store',
} as const;

function layout(title: string, content: Markup, header: Markup = html``): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="${assetPaths['icon.svg']}" />
        <link rel="stylesheet" href="${assetPaths['uplot.css']}" />
        <link rel="stylesheet" href="${assetPaths['page.css']}" />
        <script src="${assetPaths['uplot.js']}" defer></script>
        <script src="${assetPaths['page.js']}" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <h1>${title}</h1>
          ${header}
        </header>
        <main id="content" tabindex="-1">${content}</main>
      </body>
    </html>`.markup;
}

function signedIn(email: string): Markup {
  return html`<div class="who">
    <a href="${pageRoutePrefix}">All pages</a><span>${email}</span>
    <form method="post" action="${sessionPath}">
      <button type="submit" name="action" value="sign_out">Sign out</button>
    </form>
  </div>`;
}

export interface ChartPageParts {
  readonly title: string;
  readonly email: string;
  readonly controls: Markup;
  readonly notice: string | undefined;
  readonly blocks: readonly { readonly kind: BlockKind; readonly markup: Markup }[];
}

export function renderChartPage({ title, email, controls, notice, blocks }: ChartPageParts): string {
  const rows = (['figure', 'chart', 'list'] as const).map((kind) => ({
    kind,
    found: blocks.filter((block) => block.kind === kind),
  }));
  const body =
    blocks.length > 0
      ? html`${rows.map(({ kind, found }) => found.length > 0 && html`<div class="grid ${kind}s">${found.map(({ markup }) => markup)}</div>`)}`
      : html`<p class="state">This page has no queries yet.</p>`;
  return layout(
    title,
    html`${controls}${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}${body}`,
    signedIn(email),
  );
}

export function renderPageList(pages: readonly LoadedPage[], email: string): string {
  const rows = pages.map(
    ({ compiled, definition }) =>
      html`<li>
        <a href="${pageRoutePrefix}${compiled.pageRef}">${definition.title}</a> <code>${compiled.pageRef}</code>
      </li>`,
  );
  return layout(
    'Pages',
    rows.length > 0
      ? html`<ul class="pages">
          ${rows}
        </ul>`
      : html`<p class="state">There is no page that you may open.</p>`,
    signedIn(email),
  );
}

export interface RefusalParts {
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  /** Where to go after signing in. */
  readonly returnTo: string;
}

export function renderRefusal({ title, detail, status, returnTo }: RefusalParts): string {
  const form = html`<form class="sign-in" method="post" action="${sessionPath}">
    <input type="hidden" name="to" value="${returnTo}" /><label
      >Access token <input type="password" name="token" required autocomplete="off" spellcheck="false" /></label
    ><button type="submit" name="action" value="sign_in">Sign in</button>
  </form>`;
  const leave = html`<form class="sign-in" method="post" action="${sessionPath}">
    <input type="hidden" name="to" value="${returnTo}" /><button type="submit" name="action" value="sign_out">
      Sign in as somebody else
    </button>
  </form>`;
  return layout(
    title,
    html`<div class="card refusal">
      <p class="state${status >= 500 && ' error'}" role="status">${detail}</p>
      ${status === 401 && form}${status === 403 && leave}
    </div>`,
  );
}
