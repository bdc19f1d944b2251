/** A resource over an existing collection: proposed from its newest documents, reviewed by a person, then written. */
import type { BuilderError } from '@platform/builder';
import type { BuilderOperations, NewResource as ResourceInput } from '@platform/builder/client';
import { Table } from '@platform/design-parts';
import { useState } from 'preact/hooks';
import { TextParts } from './labelled';
import type { Project } from './project';
import { issuesIn, useSession, wordsOf } from './session';

type Proposal = BuilderOperations['Introspect']['data'];
type Proposed = NonNullable<Proposal['resource']>;

export function NewResource({ project, onDone }: { project: Project; onDone: () => void }) {
  const { ask } = useSession();
  const [asked, setAsked] = useState({ collection: '', name: '', tenantField: '' });
  const [proposal, setProposal] = useState<Proposal>();
  const [error, setError] = useState<BuilderError>();
  const look = async (event: Event) => {
    event.preventDefault();
    const { collection, name, tenantField } = asked;
    const answer = await ask('Introspect', {
      collection,
      ...(name !== '' && { name }),
      ...(tenantField !== '' && { tenantField }),
    });
    setProposal(answer.ok ? answer.data : undefined);
    setError(answer.ok ? undefined : answer.error);
  };
  const make = async (resource: Proposed) => {
    const answer = await ask('NewResource', resource as ResourceInput);
    setError(answer.ok ? undefined : answer.error);
    if (!answer.ok) return;
    project.again();
    setProposal(undefined);
    onDone();
  };
  return (
    <form onSubmit={(event) => void look(event)}>
      <h2 id="new-resource-title">New resource</h2>
      <TextParts
        id="resource"
        parts={parts}
        values={asked}
        issues={issuesIn(error)}
        onChange={(name, value) => setAsked({ ...asked, [name]: value })}
      />
      {error && <p class="problem">{wordsOf(error)}</p>}
      {proposal && <Proposing proposal={proposal} />}
      <p class="buttons">
        <button type="submit" class={proposal?.resource ? '' : 'primary'} disabled={asked.collection === ''}>
          Look at its rows
        </button>
        {proposal?.resource && (
          <button type="button" class="primary" onClick={() => void make(proposal.resource!)}>
            Make the resource
          </button>
        )}
        <button type="button" onClick={onDone}>
          Close
        </button>
      </p>
    </form>
  );
}

const parts = [
  ['collection', 'Collection', 'Where the rows are, for example crm.invoices'],
  ['name', 'Name', 'Of the resource; from the collection when empty'],
  ['tenantField', 'Workspace field', 'Path of the workspace that a row belongs to; tenantId when empty'],
] as const;

function Proposing({ proposal: { resource, notes } }: { proposal: Proposal }) {
  return (
    <>
      {notes.length > 0 && (
        <div class="notice">
          <p>A sample of rows does not prove this; read it before the resource is made:</p>
          <ul class="plain">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </div>
      )}
      {resource && (
        <Table head={['Field', 'Type', 'Stored at']} caption={`Fields of ${resource.name}`}>
          {resource.fields.map(({ name, type, path, options }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>
                {type}
                {options && ` (${options.join(', ')})`}
              </td>
              <td>
                <code>{path ?? name}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
