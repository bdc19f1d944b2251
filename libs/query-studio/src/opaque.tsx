/**
 * A query that people edited by hand: why it cannot be edited here, and the smallest change that would make it editable
 * again.
 */
import { Head } from '@platform/design-parts';
import { useState } from 'preact/hooks';
import { Changes } from './changes';
import type { Query } from './form';
import { PageLink } from './page-link';
import type { Project } from './project';
import { useAsked, useSession, wordsOf } from './session';

interface OpaqueProps {
  readonly pageRef: string;
  readonly query: Query;
  readonly project: Project;
}

export function Opaque({ pageRef, query, project }: OpaqueProps) {
  const { ask } = useSession();
  const ref = `${pageRef}@${query.name}`;
  const proposal = useAsked(`adoption ${ref}`, () => ask('ProposeAdoption', { query: ref }));
  const [trouble, setTrouble] = useState('');
  const { opaqueAt: at, opaqueDetail } = query;
  const adopt = async () => {
    const answer = await ask('AdoptQuery', { query: ref, expectedVersion: proposal.data?.version ?? '' });
    setTrouble(answer.ok ? '' : wordsOf(answer.error));
    project.again();
  };
  return (
    <section class="editor">
      <Head
        title={query.name}
        note={
          <>
            Opaque query of {pageRef} · <PageLink pageRef={pageRef} />
          </>
        }
      />
      <div class="notice">
        <p>
          <strong>Written by hand, and served as it is.</strong> {sentence(opaqueDetail ?? 'it cannot be read back')}.
        </p>
        {at && (
          <p>
            <code>
              {at.file}:{at.line}:{at.column}
            </code>
          </p>
        )}
      </div>
      {trouble !== '' && (
        <p class="problem" role="alert">
          {trouble}
        </p>
      )}
      {proposal.data && !proposal.data.possible && (
        <p class="quiet">No small change makes it editable here. It stays with the people who wrote it.</p>
      )}
      {proposal.data?.possible && (
        <>
          <p class="lead">The smallest change that makes it editable again:</p>
          <Changes review={{ files: proposal.data.files }} dirty />
          <p class="buttons">
            <button type="button" class="primary" onClick={() => void adopt()}>
              Write this change
            </button>
          </p>
        </>
      )}
    </section>
  );
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
