/** Whole documents: the chart page, the list of pages, and refusals with a way to sign in. */
import { pageRoutePrefix } from '@platform/base/page';
import type { ServedPage } from '../project/page-catalog';
import { assetPaths } from './assets';
import { html, type Markup } from './html';
import { blockKinds, type BlockKind } from './render-block';

export const sessionPath = `${pageRoutePrefix}-session`;
export const signInPath = `${pageRoutePrefix}-sign-in`;

/** Scripts, styles and pictures come from this host only; no inline code, no other origins, no framing. */
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
        <header class="bar chart-bar">
          <h1>${title}</h1>
          ${header}
        </header>
        <main id="content" tabindex="-1">${content}</main>
      </body>
    </html>`.markup;
}

function signedIn(email: string, kept = ''): Markup {
  return html`<div class="who">
    <a href="${pageRoutePrefix}${kept}">All pages</a><span>${email}</span>
    <form method="post" action="${sessionPath}">
      <button type="submit" class="small" name="action" value="sign_out">Sign out</button>
    </form>
  </div>`;
}

export interface DrawnBlock {
  readonly kind: BlockKind;
  /** Whether the author gave it a place on the page. */
  readonly placed: boolean;
  readonly markup: Markup;
}

/** In the author's order where there is one; then the rest, by kind. */
export function inOrder(blocks: readonly DrawnBlock[]): DrawnBlock[] {
  const left = blockKinds.flatMap((kind) => blocks.filter((block) => !block.placed && block.kind === kind));
  return [...blocks.filter(({ placed }) => placed), ...left];
}

export interface ChartPageParts {
  readonly title: string;
  readonly email: string;
  /** The choices that apply to every page: `?from=…`. */
  readonly kept: string;
  readonly controls: Markup;
  readonly notice: string | undefined;
  readonly blocks: readonly DrawnBlock[];
}

export function renderChartPage({ title, email, kept, controls, notice, blocks }: ChartPageParts): string {
  const body =
    blocks.length > 0
      ? html`<div class="grid">${inOrder(blocks).map(({ markup }) => markup)}</div>`
      : html`<p class="state">This page has no queries yet.</p>`;
  return layout(
    title,
    html`${controls}${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}${body}`,
    signedIn(email, kept),
  );
}

export function renderRowsPage({
  title,
  email,
  kept,
  content,
}: Pick<ChartPageParts, 'title' | 'email' | 'kept'> & { readonly content: Markup }): string {
  return layout(title, content, signedIn(email, kept));
}

/** `chosen`: the previous page's period, zone and workspace, for the links to the next pages. */
export function renderPageList(
  all: readonly ServedPage[],
  email: string,
  searched = '',
  chosen: Readonly<Record<string, string>> = {},
): string {
  const kept = Object.keys(chosen).length === 0 ? '' : `?${new URLSearchParams(chosen).toString()}`;
  const words = searched.toLowerCase().split(/\s+/);
  const pages = all.filter(({ compiled, title }) => {
    const text = `${title} ${compiled.pageRef}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rows = pages.map(
    ({ compiled, title }) =>
      html`<li>
        <a href="${pageRoutePrefix}${compiled.pageRef}${kept}"><bdi>${title}</bdi></a> <code>${compiled.pageRef}</code>
      </li>`,
  );
  return layout(
    'Pages',
    html`<form class="search" method="get" role="search">
        <label>Search <input type="search" name="q" value="${searched}" maxlength="200" /></label>
        ${Object.entries(chosen).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      </form>
      ${
        rows.length > 0
          ? html`<ul class="pages">
              ${rows}
            </ul>`
          : html`<p class="state">
              There is no page that you may open${all.length > 0 && ' with these words in its title or address'}.
            </p>`
      }`,
    signedIn(email, kept),
  );
}

export interface RefusalParts {
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  /** The address after signing in. */
  readonly returnTo: string;
  /** Whether people can sign in at an identity provider; a token is accepted in either case. */
  readonly byOrganisation: boolean;
}

export function renderRefusal({ title, detail, status, returnTo, byOrganisation }: RefusalParts): string {
  const organisation = html`<p>
    <a href="${signInPath}?${new URLSearchParams({ to: returnTo }).toString()}">Sign in with your organisation</a>
  </p>`;
  const form = html`<form class="sign-in" method="post" action="${sessionPath}">
    <input type="hidden" name="to" value="${returnTo}" /><label
      >Access token
      <input type="password" name="token" required autocomplete="off" spellcheck="false" aria-describedby="token-note"
    /></label>
    <p id="token-note" class="note">
      On a local platform:
      <code>npm run -s token -- --role user --workspace acme:owner --permission shop.orders.read</code>. A cookie keeps
      it until you sign out or close this browser.
    </p>
    <button type="submit" class="primary" name="action" value="sign_in">Sign in</button>
  </form>`;
  const leave = html`<form class="sign-in" method="post" action="${sessionPath}">
    <input type="hidden" name="to" value="${returnTo}" /><button
      type="submit"
      class="primary"
      name="action"
      value="sign_out"
    >
      Sign in as another person
    </button>
  </form>`;
  const elsewhere = status === 404 || (status === 403 && returnTo !== pageRoutePrefix);
  return layout(
    title,
    html`<div class="card refusal">
      <p class="state${status >= 500 && ' error'}" role="status">${detail}</p>
      ${status === 401 && byOrganisation && organisation}${status === 401 && form}${status === 403 && leave}
      ${elsewhere && html`<p><a href="${pageRoutePrefix}">All pages</a></p>`}
    </div>`,
  );
}
