/** Another person saved first: both changes side by side, and the choices. No save overwrites another. */
import { Table } from '@platform/design-parts';
import type { Form } from './form';
import { differencesOf } from './merge';

interface ConflictProps {
  readonly before: Form;
  /** Absent: the query no longer exists, or cannot be read any more. */
  readonly theirs: Form | undefined;
  readonly mine: Form;
  readonly onStartAgain: () => void;
  readonly onCombine: () => void;
}

export function Conflict({ before, theirs, mine, onStartAgain, onCombine }: ConflictProps) {
  const differences = theirs ? differencesOf(before, theirs, mine) : [];
  const both = differences.some((each) => each.both);
  return (
    <section class="conflict" role="alert" aria-labelledby="conflict-title">
      <h2 id="conflict-title">This query was changed meanwhile</h2>
      <p>
        {theirs
          ? 'Nothing of yours was written. These are both changes:'
          : 'It is gone from the page, or its source cannot be read back now. Nothing of yours was written.'}
      </p>
      {differences.length > 0 && (
        <Table head={['Part', 'Before', 'Now', 'Yours']} caption="Both changes">
          {differences.map((each) => (
            <tr key={each.part}>
              <td>
                {each.part} {each.both && <strong>(both)</strong>}
              </td>
              <td>
                <code>{each.before || '–'}</code>
              </td>
              <td>
                <code>{each.theirs || '–'}</code>
              </td>
              <td>
                <code>{each.mine || '–'}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <p class="buttons">
        <button type="button" class="primary" onClick={onStartAgain}>
          Start again from the new state
        </button>
        {theirs && (
          <button type="button" onClick={onCombine}>
            {both ? 'Keep mine where only I changed it' : 'Put my changes on it'}
          </button>
        )}
      </p>
    </section>
  );
}
