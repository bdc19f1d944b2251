/** What there is to do when no query is open. */
import { Empty, Head, ProblemBox } from '@platform/design-parts';
import { linkToNew } from './address';
import type { Project } from './project';
import { wordsOf } from './session';

export function Welcome({ project }: { project: Project }) {
  const { pages = [], error } = project;
  const queries = pages.flatMap(({ structure }) => structure?.queries ?? []);
  const opaque = queries.filter((query) => query.opaque).length;
  return (
    <section class="welcome">
      <Head
        title="Queries"
        note="Each query is a method of a model and a route of a page, in files that people edit too."
      />
      {error && (
        <ProblemBox problem={{ code: error.code, title: 'The project cannot be read', detail: wordsOf(error) }} />
      )}
      <dl class="figures">
        <div>
          <dt>Pages</dt>
          <dd>{pages.length}</dd>
        </div>
        <div>
          <dt>Queries</dt>
          <dd>{queries.length}</dd>
        </div>
        <div>
          <dt>Opaque</dt>
          <dd>{opaque}</dd>
        </div>
        <div>
          <dt>Drafts</dt>
          <dd>{project.drafts.length}</dd>
        </div>
      </dl>
      {pages.length === 0 ? (
        <Empty title="There is no page yet">A page has a permission and an address. Make the first one above.</Empty>
      ) : (
        <>
          <h2>Begin a query on</h2>
          <ul class="begin">
            {pages.map(({ pageRef }) => (
              <li key={pageRef}>
                <a class="button" href={linkToNew(pageRef)}>
                  {pageRef}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
