/** The documentation site: what it shows where, and how pages of the repository become pages of the site. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type DefaultTheme } from 'vitepress';

const docs = join(fileURLToPath(new URL('.', import.meta.url)), '..');
const root = join(docs, '..');

const titleOf = (file: string): string => /^# (.+)$/m.exec(readFileSync(join(docs, file), 'utf8'))?.[1] ?? file;

const link = (file: string): DefaultTheme.SidebarItem => ({
  text: titleOf(file),
  link: `/${file.replace(/(index)?\.md$/, '')}`,
});

const part = (text: string, files: readonly string[]): DefaultTheme.SidebarItem => ({ text, items: files.map(link) });

const sidebar = [
  part('Start', ['start.md', 'tour.md']),
  part(
    'Concepts',
    ['index', 'operation', 'evidence', 'access', 'delivery'].map((name) => `concepts/${name}.md`),
  ),
  part(
    'Tutorials',
    ['first-credit', 'lost-answer', 'consumer', 'first-chart', 'production'].map((name) => `tutorials/${name}.md`),
  ),
  part('How to', ['how-to/index.md', 'how-to/receive-over-http.md']),
  part('Reference', [
    ...[
      'api.md',
      'api-shapes.md',
      'contracts.md',
      'consumer-protocol.md',
      'configuration.md',
      'commands.md',
      'metrics.md',
    ],
    ...['errors.md', 'limits.md', 'states.md', 'glossary.md', 'twin-parity.md'],
  ]),
  part('Operating', ['operations.md', 'runbook.md', 'security.md']),
  part('How it is built', [
    ...['architecture.md', 'laws.md', 'workflows.md', 'invariants.md', 'verification.md', 'verification-report.md'],
    ...[
      'findings.md',
      'benchmarks.md',
      'benchmarks-tables.md',
      'scale.md',
      'verification-tables.md',
      'decisions/index.md',
      'style.md',
      'spec-gaps.md',
      'specification.md',
    ],
  ]),
];

const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** Of Markdown: what a page of the repository says to its tools is no text. */
const withoutComments = (source: string): string => source.replace(/<!--[\s\S]*?-->/g, '');

export default defineConfig({
  lang: 'en',
  title: 'Workspace platform',
  description:
    'Workspaces by subscription: no charge twice, no intent lost, a plain answer where the outcome is not known.',
  outDir: join(root, '.local/docs'),
  cacheDir: join(root, '.local/cache/vitepress'),
  lastUpdated: false,
  vite: {
    resolve: {
      alias: [{ find: /^\.\/VPHome\.vue$/, replacement: join(docs, '.vitepress/theme/home.vue') }],
    },
  },
  markdown: {
    // Tables hold text in angle brackets, which is no markup.
    html: false,
    // As readers of the repository know them, so that one link leads to the same place in both.
    anchor: { slugify },
    config(markdown) {
      const render = markdown.render.bind(markdown);
      markdown.render = (source, env) => render(withoutComments(source), env);
      // Files of the repository that are no pages are named, not linked.
      const linked = markdown.renderer.rules.link_open;
      markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
        const token = tokens[index]!;
        const path = (env as { readonly relativePath?: string }).relativePath ?? '';
        if (leavesDocs(path, String(token.attrGet('href')))) {
          token.tag = 'span';
          token.attrs = [];
          closeAsSpan(tokens, index);
        }
        return linked ? linked(tokens, index, options, env, self) : self.renderToken(tokens, index, options);
      };
    },
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Concepts', link: '/concepts/' },
      { text: 'Tutorials', link: '/tutorials/first-credit' },
      { text: 'Reference', link: '/api' },
      { text: 'Operating', link: '/operations' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});

/** Whether a link of a page leads to a file beside `docs`, or to one in it that is no page. */
function leavesDocs(page: string, href: string): boolean {
  if (/^([a-z]+:|#)/i.test(href)) return false;
  const [path = ''] = href.split('#');
  const target = join('docs', page, '..', path);
  return !target.startsWith('docs') || (!/\.(md|html|svg|png)$/.test(target) && /\.\w+$/.test(target));
}

function closeAsSpan(tokens: { type: string; tag: string }[], from: number): void {
  const close = tokens.slice(from).find(({ type }) => type === 'link_close');
  if (close) close.tag = 'span';
}
