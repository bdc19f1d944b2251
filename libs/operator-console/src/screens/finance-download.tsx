/** The signed finance report of a period, as one file, with its totals shown beside. */
import { counted } from '@platform/kernel/text';
import type { FinanceReport } from '@platform/contracts-operator';
import { useState } from 'preact/hooks';
import { title } from '@platform/design-parts';
import { Amount } from '../parts';
import { problemText } from '@platform/design-parts/requests';
import { saveAs } from '@platform/design-parts';
import { useSession } from '../session';

const fields = [
  ['from', 'First day (UTC)'],
  ['to', 'Last day (UTC)'],
] as const;

/** The instant at which this day of UTC begins, `days` later. */
function dayStart(day: string, days = 0): string {
  const start = new Date(`${day}T00:00:00.000Z`);
  return Number.isNaN(start.getTime()) ? day : new Date(start.getTime() + days * 86_400_000).toISOString();
}

export function FinanceDownload() {
  const { gateway } = useSession();
  const [said, setSaid] = useState('');
  const [made, setMade] = useState<FinanceReport>();
  const download = async (from: string, to: string) => {
    setSaid('Reading …');
    setMade(undefined);
    const query = { from: dayStart(from), to: dayStart(to, 1) };
    const answer = await gateway.read<FinanceReport>('/api/saas/finance-report', query);
    if (answer.kind !== 'answered') {
      const problem = answer.kind === 'refused' ? answer.problem : undefined;
      setSaid(problem?.errors?.[0]?.message ?? (problem ? problemText(problem) : 'The gateway did not answer.'));
      return;
    }
    // Its bytes are signed, so they are saved as they came.
    saveAs(`finance-${from}-${to}.csv`, answer.body.report, 'text/csv');
    setSaid(`Downloaded, ${counted(answer.body.rows, 'row')}, signed with key ${answer.body.keyId}.`);
    setMade(answer.body);
  };
  return (
    <form
      class="filters"
      aria-label="Finance report"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        void download(String(form.get('from')), String(form.get('to')));
      }}
    >
      {fields.map(([name, label]) => (
        <label key={name}>
          {label}
          <input name={name} type="date" required />
        </label>
      ))}
      <button type="submit">Download the finance report</button>
      <span role="status">{said}</span>
      {made?.totals.map(({ kind, count, money }) => (
        <span key={`${kind} ${money.currency}`}>
          {title(kind)}: <Amount money={money} /> ({count})
        </span>
      ))}
      {made && <span>Charges are as invoiced, without refunds and disputes.</span>}
    </form>
  );
}
