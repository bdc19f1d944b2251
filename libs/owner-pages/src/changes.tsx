/**
 * The changes that an owner can make now. For each, the gateway's preview of exactly these values is shown before it is
 * confirmed; a change that is not possible now says why. An operation's id is created once when its form opens.
 */
import type { Account, ActionPreview, OperationView } from '@platform/contracts-operator';
import {
  actionPath,
  contractOf,
  formatPrice,
  previewPath,
  type OperationAction,
} from '@platform/contracts-operator/actions';
import { useFocusWhenClosed, useFocusWhenShown, useUnderWay } from '@platform/design-parts';
import { useEffect, useState } from 'preact/hooks';
import { leavesOutcomeOpen, ofOperation, problemText, type Answer } from '@platform/design-parts/requests';
import { useSession } from './session';
import { outcomeWords } from './words';

type Owned = Account['actions'][number];

const at = (path: string, tenantId: string): string => path.replace(':tenantId', encodeURIComponent(tenantId));

function newOperationId(action: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  const tail = [...bytes].map((byte) => 'abcdefghjkmnpqrstuvwxyz23456789'[byte % 31]).join('');
  return `own-${action.replaceAll('_', '-')}-${tail}`.slice(0, 64);
}

/** The values that the action needs: the chosen plan, and the address to return to from the payment page. */
function valuesOf(action: OperationAction, planId: string): Readonly<Record<string, string>> | null {
  const { values } = contractOf(action);
  const here = `${location.origin}${location.pathname}${location.hash}`;
  const given = Object.entries(values).map(([name, { kind }]) => [name, kind === 'plan' ? planId : here] as const);
  return given.some(([, value]) => value === '') ? null : Object.fromEntries(given);
}

function usePreview(action: OperationAction, tenantId: string, values: Readonly<Record<string, string>> | null) {
  const { requests } = useSession();
  const [shown, setShown] = useState<{ key: string; answer: Answer<ActionPreview> } | null>(null);
  const key = values === null ? '' : JSON.stringify(values);
  useEffect(() => {
    if (key === '') return undefined;
    let current = true;
    void requests
      .send<ActionPreview>('POST', at(previewPath(action), tenantId), JSON.parse(key))
      .then((answer) => current && setShown({ key, answer }));
    return () => {
      current = false;
    };
  }, [requests, action, tenantId, key]);
  return shown?.key === key ? shown.answer : null;
}

function refusalOf(answer: Answer<ActionPreview> | null): string | undefined {
  if (!answer) return undefined;
  if (answer.kind === 'no_answer') return 'We could not be reached. Nothing was changed.';
  if (answer.kind === 'refused') return problemText(answer.problem);
  return answer.body.refusal && problemText(answer.body.refusal);
}

interface AskedFor {
  readonly operationId: string;
  readonly answer: Answer<OperationView & { readonly checkoutUrl?: string | null }>;
}

function Outcome({ asked: { operationId, answer }, close }: { asked: AskedFor; close: () => void }) {
  const { title, text, tone } = said(answer);
  const confirmUrl = answer.kind === 'answered' ? answer.body.confirmUrl : undefined;
  const heading = useFocusWhenShown<HTMLHeadingElement>();
  return (
    <div class={`outcome outcome-${tone}`} role={tone === 'done' ? 'status' : 'alert'}>
      <h3 ref={heading} tabIndex={-1}>
        {title}
      </h3>
      <p>{text}</p>
      {confirmUrl !== undefined && (
        <p>
          <a href={confirmUrl} target="_blank" rel="noreferrer">
            Confirm the payment
          </a>
        </p>
      )}
      <p class="quiet">
        Reference <code class="id">{operationId}</code>
      </p>
      <button type="button" onClick={close}>
        Close
      </button>
    </div>
  );
}

function said(answer: AskedFor['answer']): { title: string; text: string; tone: 'done' | 'refused' | 'unknown' } {
  const notKnown = {
    title: 'We do not know yet whether this was done. Please do not try again.',
    text: 'Your request may have arrived. Reload this page in a moment; our team is looking into it.',
    tone: 'unknown',
  } as const;
  if (answer.kind === 'no_answer' || leavesOutcomeOpen(answer)) return notKnown;
  if (answer.kind === 'refused')
    return { title: 'This was not done.', text: problemText(answer.problem), tone: 'refused' };
  const done = answer.body.status === 'succeeded';
  return done
    ? { title: 'Done.', text: 'The page shows how it is now.', tone: 'done' }
    : {
        title: outcomeWords(answer.body.status),
        text:
          answer.body.confirmUrl === undefined
            ? 'It continues by itself; you do not need to send it again.'
            : 'Your bank wants you to confirm the payment. Then it continues by itself; you do not need to send it again.',
        tone: 'done',
      };
}

function PlanChoice({
  action,
  account,
  planId,
  choose,
}: FormParts & { planId: string; choose: (planId: string) => void }) {
  const { onSale, state } = account;
  return (
    <div class="field">
      <label for="plan">Plan</label>
      <select id="plan" required value={planId} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">Choose …</option>
        {onSale
          .filter((each) => each.planId !== state.planId || action === 'checkout')
          .map((each) => (
            <option key={each.planId} value={each.planId}>
              {each.name}, {formatPrice(each)}
            </option>
          ))}
      </select>
    </div>
  );
}

function WhatItDoes({ preview, complete }: { preview: Answer<ActionPreview> | null; complete: boolean }) {
  const refusal = refusalOf(preview);
  return (
    <div class="preview" aria-live="polite">
      {preview?.kind === 'answered' && refusal === undefined && (
        <>
          <strong>What it will do</strong>
          <ul>
            {preview.body.consequences.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </>
      )}
      {refusal !== undefined && <p>{refusal}</p>}
      {!preview && <p class="quiet">{complete ? 'One moment …' : 'Choose a plan to see what it will do.'}</p>}
    </div>
  );
}

interface FormParts {
  readonly action: OperationAction;
  readonly account: Account;
}

/** Sends the change once under its id; opens the payment page when the answer names one. */
function useAsking({ action, account }: FormParts, changed: () => void) {
  const { requests } = useSession();
  const [operationId] = useState(() => newOperationId(action));
  const [sending, setSending] = useState(false);
  const [asked, setAsked] = useState<AskedFor | null>(null);
  useUnderWay(sending);
  const ask = async (values: Readonly<Record<string, string>>, previewDigest: string) => {
    setSending(true);
    const sent = await requests.send<OperationView & { checkoutUrl?: string | null }>(
      contractOf(action).method,
      at(actionPath(action), account.state.tenantId),
      { operationId, previewDigest, ...values },
    );
    const answer = ofOperation(sent, operationId);
    setSending(false);
    // The session had ended: nothing was done, and the form sends the same request after signing in.
    if (answer.kind === 'refused' && answer.status === 401) return undefined;
    if (answer.kind === 'answered' && answer.body.checkoutUrl) return location.assign(answer.body.checkoutUrl);
    setAsked({ operationId, answer });
    return changed();
  };
  return { sending, asked, ask };
}

function Form({ action, account, close, changed }: FormParts & { close: () => void; changed: () => void }) {
  const { sending, asked, ask } = useAsking({ action, account }, changed);
  const heading = useFocusWhenShown<HTMLHeadingElement>();
  const [planId, setPlanId] = useState('');
  const { form, values: fields } = contractOf(action);
  const values = valuesOf(action, planId);
  const preview = usePreview(action, account.state.tenantId, values);
  const possible = preview?.kind === 'answered' && refusalOf(preview) === undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    if (values && preview?.kind === 'answered' && !sending) void ask(values, preview.body.previewDigest);
  };
  if (asked) return <Outcome asked={asked} close={close} />;
  return (
    <form class="action" aria-label={form.title} onSubmit={submit}>
      <h3 ref={heading} tabIndex={-1}>
        {form.title}
      </h3>
      {Object.values(fields).some(({ kind }) => kind === 'plan') && (
        <PlanChoice {...{ action, account, planId }} choose={setPlanId} />
      )}
      <WhatItDoes preview={preview} complete={values !== null} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={!possible || sending}>
          {sending ? 'One moment …' : form.title}
        </button>
        <button type="button" onClick={close} disabled={sending}>
          Not now
        </button>
      </div>
    </form>
  );
}

export function Changes({ account, changed }: { account: Account; changed: () => void }) {
  const [open, setOpen] = useState<OperationAction | null>(null);
  const heading = useFocusWhenClosed<HTMLHeadingElement>(open !== null);
  const possible = account.actions.filter(({ refusal }) => refusal === undefined);
  const refused = account.actions.filter(({ refusal }) => refusal !== undefined);
  return (
    <section aria-labelledby="changes">
      <h2 id="changes" ref={heading} tabIndex={-1}>
        What you can change
      </h2>
      {open ? (
        <Form key={open} action={open} account={account} close={() => setOpen(null)} changed={changed} />
      ) : (
        <>
          <div class="buttons">
            {possible.map(({ action }) => (
              <button key={action} type="button" onClick={() => setOpen(action)}>
                {contractOf(action).form.title} …
              </button>
            ))}
          </div>
          {possible.length === 0 && <p>Nothing can be changed now.</p>}
          <WhyNot refused={refused} />
        </>
      )}
    </section>
  );
}

function WhyNot({ refused }: { refused: readonly Owned[] }) {
  if (refused.length === 0) return null;
  return (
    <details>
      <summary>What you cannot do now, and why</summary>
      <ul class="plain">
        {refused.map(({ action, refusal }) => (
          <li key={action}>
            <b>{contractOf(action).form.title}:</b> {refusal!.message}
          </li>
        ))}
      </ul>
    </details>
  );
}
