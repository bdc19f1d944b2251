/** Links of a built site that lead to a missing page, file or anchor. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? pagesIn(join(folder, entry.name))
      : entry.name.endsWith('.html')
        ? [join(folder, entry.name)]
        : [],
  );
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** Resolves a path like a server of the site. */
function fileOf(site: string, from: string, path: string): string | undefined {
  if (path === '') return from;
  const at = path.startsWith('/') ? join(site, path) : resolve(dirname(from), path);
  return [at, `${at}.html`, join(at, 'index.html')].find(isFile);
}

const decoded = (text: string): string =>
  text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");

/** `page -> link`, sorted. */
export function brokenLinks(site: string): string[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (file: string): ReadonlySet<string> => {
    const known =
      anchors.get(file) ??
      new Set([...readFileSync(file, 'utf8').matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => decoded(id)));
    anchors.set(file, known);
    return known;
  };
  return pagesIn(site)
    .flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\s(?:href|src)="([^"]*)"/g)]
        .map(([, link = '']) => decoded(link))
        .filter((link) => !/^([a-z]+:|\/\/)/i.test(link))
        .filter((link) => {
          const [path = '', anchor = ''] = link.split('#');
          const file = fileOf(site, page, decodeURIComponent(path));
          return !file || (anchor !== '' && file.endsWith('.html') && !anchorsOf(file).has(decodeURIComponent(anchor)));
        })
        .map((link) => `${relative(site, page)} -> ${link}`),
    )
    .filter((line, index, all) => all.indexOf(line) === index)
    .sort();
}
