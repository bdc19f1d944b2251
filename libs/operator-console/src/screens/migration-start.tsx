/**
 * The start of a migration. It names the list of the dry run by its digest, so that it is refused when the workspaces
 * have changed since. The migration's id is created once, so that a repeat starts nothing new.
 */
import { counted } from '@platform/kernel/text';
import type { MigrationDryRun, MigrationPage } from '@platform/contracts-operator';
import { operatorLimits } from '@platform/contracts-operator/actions';
import { useState } from 'preact/hooks';
import { linkTo } from '../address';
import { leavesOutcomeOpen, type Answer } from '@platform/design-parts/requests';
import { newOperationId } from '../gateway';
import { Copy, Id, ProblemBox, useOneAtATime, useUnderWay } from '@platform/design-parts';
import { problemOf, useSession } from '../session';
import { Field } from './action-fields';

function Consequences({ run }: { run: MigrationDryRun }) {
  return (
    <div class="preview">
      <strong>What it will do</strong>
      <ul>
        <li>
          Changes the plan of up to {counted(run.count, 'workspace')} at the provider, one after the other; customers
          are charged or credited the difference.
        </li>
        <li>Skips workspaces that need a person or have changed since.</li>
        <li>The plan {run.fromPlanId} stays in the catalog.</li>
      </ul>
    </div>
  );
}

/** Irreversible: it is typed and carries a reason. */
function Typed({
  planId,
  reason,
  setReason,
  typed,
  setTyped,
}: {
  planId: string;
  reason: string;
  setReason: (text: string) => void;
  typed: string;
  setTyped: (text: string) => void;
}) {
  return (
    <>
      <Field label="Reason" name="reason" note="Stays on record, and is shown wherever this migration is.">
        <input
          id="field-reason"
          required
          autocomplete="off"
          maxLength={operatorLimits.reasonCharacters}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </Field>
      <Field label={`Type ${planId} to confirm`} name="typed">
        <input
          id="field-typed"
          required
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </Field>
    </>
  );
}

function NotStarted({ answer, migrationId }: { answer: Answer<unknown>; migrationId: string }) {
  const problem = problemOf(answer);
  if (!problem) return null;
  if (!leavesOutcomeOpen(answer)) return <ProblemBox problem={problem} />;
  return (
    <div class="problem" role="alert">
      <strong>It is not known whether it was started. Stop retrying.</strong>
      <p>{problem.detail}</p>
      <p>
        Read <a href={linkTo(['migrations', migrationId])}>{migrationId}</a> before anything else.
      </p>
    </div>
  );
}

export function Start({ run: dryRun }: { run: MigrationDryRun }) {
  const { gateway } = useSession();
  const [migrationId] = useState(() =>
    newOperationId('migrate', new Date(), () => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32),
  );
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [members, setMembers] = useState(false);
  const [answer, setAnswer] = useState<Answer<MigrationPage> | null>(null);
  const { busy, run } = useOneAtATime();
  // A refusal started nothing, so it can be sent again under the same id.
  const open = answer !== null && leavesOutcomeOpen(answer);
  useUnderWay(busy || open);
  const start = async () => {
    const answer = await gateway.send<MigrationPage>(
      'POST',
      `/api/saas/plans-deletion/${encodeURIComponent(dryRun.fromPlanId)}/migrate-and-delete`,
      {
        migrationId,
        targetPlanId: dryRun.target.planId,
        digest: dryRun.digest,
        reason: reason.trim(),
        notifyMembers: members,
      },
    );
    if (answer.kind === 'answered') location.hash = linkTo(['migrations', migrationId]);
    else setAnswer(answer);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void run(start);
  };
  return (
    <form class="action" onSubmit={submit} aria-label="Start the migration">
      <h3>Start the migration</h3>
      <p class="operation-id">
        Migration id <Id>{migrationId}</Id> <Copy text={migrationId} />
      </p>
      <Consequences run={dryRun} />
      <p>
        <label>
          <input type="checkbox" checked={members} onChange={(event) => setMembers(event.currentTarget.checked)} />{' '}
          Notify all members, not the owners alone
        </label>
      </p>
      <Typed planId={dryRun.fromPlanId} {...{ reason, setReason, typed, setTyped }} />
      {answer && <NotStarted {...{ answer, migrationId }} />}
      <div class="buttons">
        <button
          type="submit"
          class="primary"
          disabled={busy || typed !== dryRun.fromPlanId || reason.trim() === '' || open}
        >
          Start the migration
        </button>
      </div>
    </form>
  );
}
