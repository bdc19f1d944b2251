/** New resources and pages: files that must not exist yet, created in an order without incomplete states. */
import { isPageRef } from '@platform/base/page';
import type { BuilderResult, FileChange, Issue } from '@platform/builder';
import { addressClaim, pagesOnTheWay, urlShape } from '../domain/collisions';
import { isResourceName, modelFile, pageFile, resourceFile } from '../domain/project';
import {
  emitModel,
  emitPage,
  emitResource,
  pageIssues,
  resourceIssues,
  type NewPage,
  type NewResource,
} from '../domain/scaffold';
import { endpointsOf } from '../domain/page-queries';
import { readPageSource } from '../domain/source/class-source';
import { unifiedDiff } from '../domain/unified-diff';
import type { PageProject } from '../store/page-project';
import { answering, Refused } from './answer';
import type { RunOptions } from './ports';

interface Created {
  readonly changes: readonly FileChange[];
}
interface NewFile {
  readonly path: string;
  readonly text: string;
}

export function newResource(
  project: PageProject,
  resource: NewResource,
  options: RunOptions = {},
): Promise<BuilderResult<Created>> {
  const { name } = resource;
  const issues = [
    ...(isResourceName(name) ? [] : [{ pointer: '/name', message: 'must be lower-case words joined by dashes' }]),
    ...resourceIssues(resource),
  ];
  return create(project, issues, options, [
    // The model first, because the resource exists once its declaration does.
    { path: modelFile(name), text: emitModel(name) },
    { path: resourceFile(name), text: emitResource(resource) },
  ]);
}

export function newPage(
  project: PageProject,
  page: NewPage,
  options: RunOptions = {},
): Promise<BuilderResult<Created>> {
  const { pageRef } = page;
  const issues = [
    ...(isPageRef(pageRef) ? [] : [{ pointer: '/pageRef', message: 'must be a path such as /shop/orders' }]),
    ...pageIssues(page),
  ];
  return create(project, issues, options, [{ path: pageFile(pageRef), text: emitPage(page) }], {
    claims: [addressClaim(pageRef, '')],
    check: () => assertAddressFree(project, pageRef),
  });
}

/** A route of a parent page may have the address of the new page. */
async function assertAddressFree(project: PageProject, pageRef: string): Promise<void> {
  for (const above of pagesOnTheWay(pageRef, '').filter((each) => each !== pageRef)) {
    const text = await project.read(pageFile(above));
    const taken =
      text !== undefined &&
      endpointsOf(readPageSource(pageFile(above), text)).some(
        ({ endpoint }) => `/${urlShape(above, endpoint)}` === pageRef,
      );
    if (taken)
      throw new Refused({
        code: 'duplicate_name',
        name: pageRef,
        scope: 'query',
        pointer: '/pageRef',
        detail: `the page ${above} has a route at this address`,
      });
  }
}

const unchecked = { claims: [], check: async () => undefined };

function create(
  project: PageProject,
  issues: readonly Issue[],
  { review }: RunOptions,
  files: readonly NewFile[],
  { claims, check }: { readonly claims: readonly string[]; readonly check: () => Promise<void> } = unchecked,
): Promise<BuilderResult<Created>> {
  return answering(project, '/', async () => {
    if (issues.length > 0) throw new Refused({ code: 'invalid_config', issues });
    return project.exclusively([...files.map(({ path }) => path), ...claims], async () => {
      const missing = await missingOf(project, files);
      await check();
      const changes = missing.map(({ path, text }): FileChange => ({
        path,
        kind: 'created',
        diff: unifiedDiff(path, '', text),
      }));
      if (
        review &&
        !review(
          changes,
          missing.map(({ path, text }) => ({ path, before: '', text })),
        )
      )
        throw new Refused({ code: 'unsupported', detail: 'nothing was written: the review said no' });
      for (const { path, text } of missing) await project.write(path, undefined, text);
      return { changes };
    });
  });
}

/**
 * The files that are still to be written: an attempt that ended between two of them left the first one. Throws Refused
 * when all are there, or one has another text.
 */
async function missingOf(project: PageProject, files: readonly NewFile[]): Promise<NewFile[]> {
  const missing: NewFile[] = [];
  for (const file of files) {
    const now = await project.read(file.path);
    if (now === undefined) missing.push(file);
    else if (now !== file.text || file === files.at(-1))
      throw new Refused({
        code: 'duplicate_name',
        name: file.path,
        scope: 'query',
        pointer: '',
        detail: `${file.path} exists already`,
      });
  }
  return missing;
}
