/** A pinned moment: what the case said then, beside its present content, and all of it as a file. */
import type { CaseEntryView, PinnedCase } from '@platform/contracts-operator';
import { useState } from 'preact/hooks';
import { problemText } from '@platform/design-parts/requests';
import { problemOf, useSession } from '../session';
import { saveAs } from '@platform/design-parts';
import { moneyWords, runningWords } from './case-verdict';
import { Status } from '../parts';

export function PinnedMoment({
  entry: { entryId },
  pin,
  kind,
  id,
}: {
  entry: CaseEntryView;
  pin: NonNullable<CaseEntryView['pin']>;
  kind: string;
  id: string;
}) {
  const { gateway } = useSession();
  const [message, setMessage] = useState('');
  const save = async () => {
    const path = `/api/saas/cases/${encodeURIComponent(kind)}/pins/${encodeURIComponent(entryId)}`;
    const answer = await gateway.read<PinnedCase>(path, { id });
    const problem = problemOf(answer);
    setMessage(problem ? problemText(problem) : '');
    if (answer.kind === 'answered')
      saveAs(`pinned-${kind}-${id}-${entryId}.json`, JSON.stringify(answer.body, null, 2));
  };
  const money = moneyWords[pin.money as keyof typeof moneyWords] ?? pin.money;
  const running = runningWords[pin.running as keyof typeof runningWords] ?? pin.running;
  return (
    <p class="pin">
      <Status status={pin.status} /> {money}. {running}.{' '}
      <button type="button" class="small" onClick={() => void save()}>
        Download it
      </button>{' '}
      <code class="id" title="SHA-256 of the pinned case">
        {pin.digest.slice(0, 12)}
      </code>
      <span role="status">{message}</span>
    </p>
  );
}
