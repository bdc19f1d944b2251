/** The current project: pages with their queries, resources, templates and drafts, read again after every change. */
import type { BuilderError } from '@platform/builder';
import { useMemo } from 'preact/hooks';
import type { Draft, Resource, Structure, Template } from './form';
import { useAsked, useSession, wordsOf } from './session';

export interface PageEntry {
  readonly pageRef: string;
  readonly structure?: Structure;
  /** Why the queries of the page cannot be shown. */
  readonly trouble?: string;
}

export interface Project {
  readonly pages: readonly PageEntry[] | undefined;
  readonly resources: readonly Resource[];
  /** Resources whose declaration cannot be read. */
  readonly broken: readonly { readonly name: string; readonly trouble: string }[];
  readonly templates: readonly Template[];
  readonly drafts: readonly Draft[];
  readonly error: BuilderError | undefined;
  readonly again: () => void;
}

const atOnce = 6;

/** Several at a time, so that a project with many pages is not read all at once. */
async function each<In, Out>(list: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const out: Out[] = [];
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < list.length; at = next++) out[at] = await work(list[at]!);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return out;
}

export function useProject(): Project {
  const { ask, readProblems } = useSession();
  const pages = useAsked('pages', async () => {
    const listed = await ask('ListPages', {});
    if (!listed.ok) return listed;
    const [problems, entries] = await Promise.all([
      readProblems(),
      each(listed.data.pages, async (pageRef): Promise<PageEntry> => {
        const read = await ask('GetPageStructure', { pageRef });
        return read.ok ? { pageRef, structure: read.data } : { pageRef, trouble: wordsOf(read.error) };
      }),
    ]);
    const data = entries.map((entry): PageEntry => {
      const problem = problems.find(({ pageRef }) => pageRef === entry.pageRef);
      const trouble = entry.trouble ?? (problem && `${problem.file}:${problem.line}: ${problem.message}`);
      return trouble === undefined ? entry : { ...entry, trouble };
    });
    return { ok: true, data };
  });
  const resources = useAsked('resources', () => ask('ListResources', {}));
  const templates = useAsked('templates', () => ask('ListQueryTemplates', {}));
  const drafts = useAsked('drafts', () => ask('ListDrafts', {}));
  const error = pages.error ?? resources.error ?? templates.error ?? drafts.error;
  return useMemo(() => {
    const listed = resources.data?.resources ?? [];
    return {
      pages: pages.data,
      resources: listed.filter((one): one is Resource => 'fields' in one),
      broken: listed.flatMap((one) =>
        'error' in one
          ? [{ name: one.name, trouble: `${one.error.file}:${one.error.line}: ${one.error.message}` }]
          : [],
      ),
      templates: templates.data ?? [],
      drafts: drafts.data?.drafts ?? [],
      error,
      again: () => [pages, resources, templates, drafts].forEach(({ again }) => again()),
    };
  }, [pages.data, resources.data, templates.data, drafts.data, error]);
}
