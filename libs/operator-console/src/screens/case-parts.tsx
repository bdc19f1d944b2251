/** The evidence of a case, part by part. Every empty part explains why it is empty. */
import type { CaseCall, CaseEvent, CaseFact, CaseView } from '@platform/contracts-operator';
import { formatMoney } from '@platform/contracts-operator/actions';
import { Id, Instant, Sentence, Table, title, words } from '@platform/design-parts';
import { Amount, Status } from '../parts';
import { formatLocal } from '@platform/design-parts/time';
import { Attempts } from './attempts';
import { withoutReceipt } from './words';

function Fact({ fact: { label, value, form }, view }: { fact: CaseFact; view: CaseView }) {
  if (form === 'instant') return <Instant at={value} both />;
  if (form === 'id') return <Id>{value}</Id>;
  if (label === 'amountCents' && view.money) return <Amount money={view.money} />;
  return <>{/^[a-z_]+$/.test(value) ? words(value) : value}</>;
}

export function Facts({ view }: { view: CaseView }) {
  return (
    <dl class="facts">
      {view.intent.map((fact) => (
        <div key={fact.label}>
          <dt>{fact.label === 'amountCents' ? 'amount' : words(fact.label)}</dt>
          <dd>
            <Fact fact={fact} view={view} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const phaseWords: Readonly<Record<string, string>> = {
  not_connected: 'no byte was written',
  connected: 'connected, nothing was written',
  bytes_written: 'written, no answer read',
  response_read: 'answer read',
};

function Call({ call }: { call: CaseCall }) {
  if (call.skipped !== undefined)
    return (
      <li class="call">
        <b>{title(call.step)}</b> <span class="quiet">not sent: {call.skipped}</span>
      </li>
    );
  return (
    <li class="call">
      <b>{title(call.step)}</b> <Status status={call.outcome ?? 'no answer recorded'} />
      <code>
        {call.method} {call.path}
      </code>
      <span class="quiet">
        attempt {call.attempt},{' '}
        {call.phase === undefined ? 'recorded, no answer' : (phaseWords[call.phase] ?? call.phase)}
        {call.httpStatus !== undefined && `, HTTP ${call.httpStatus}`}
      </span>
      {call.idempotencyKey !== undefined && (
        <span class="quiet">
          key <Id>{call.idempotencyKey}</Id>
        </span>
      )}
      {call.requestId !== undefined && (
        <span class="quiet">
          request <Id>{call.requestId}</Id>
        </span>
      )}
      {call.objectId !== undefined && (
        <span class="quiet">
          object <Id>{call.objectId}</Id>
        </span>
      )}
      {call.sentAt !== undefined && <Instant at={call.sentAt} both />}
    </li>
  );
}

export function Calls({ view }: { view: CaseView }) {
  if (view.kind === 'webhook_event' || view.kind === 'delivery')
    return <p class="quiet">This sends nothing to the provider.</p>;
  if (view.sent.length === 0) return <p class="quiet">No call is recorded. A call is recorded before it is sent.</p>;
  return (
    <ul class="calls">
      {view.sent.map((call, at) => (
        <Call key={at} call={call} />
      ))}
    </ul>
  );
}

/** Names of the provider's members as people read them: `priceId` is `price id`. */
function inWords(label: string): string {
  return words(label).replaceAll(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}

/** Amounts in their currency when the object has one; everything else unchanged. */
function summaryText(summary: Readonly<Record<string, unknown>>): [string, string][] {
  const currency = typeof summary['currency'] === 'string' ? summary['currency'] : undefined;
  return Object.entries(summary)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([label, value]) => [
      label,
      currency !== undefined && typeof value === 'number' && /amount|balance|total/i.test(label)
        ? formatMoney({ amountCents: value, currency })
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value),
    ]);
}

const notAsked: Readonly<Record<string, string>> = {
  migration: 'Not asked for a whole migration. The case of each workspace shows its subscription as it is now.',
};

export function ProviderObjects({ view }: { view: CaseView }) {
  const { source, objects } = view.provider;
  if (source === 'not_applicable')
    return (
      <p class="quiet">
        {notAsked[view.kind] ?? 'No call to the provider is recorded, so there is nothing to look for.'}
      </p>
    );
  return (
    <>
      {objects.length > 0 && <Found objects={objects} />}
      <Searches view={view} />
    </>
  );
}

function Found({ objects }: Pick<CaseView['provider'], 'objects'>) {
  return (
    <ul class="calls">
      {objects.map(({ kind, id, summary }) => (
        <li key={id} class="call">
          <b>{title(kind)}</b> <Id>{id}</Id>
          {summaryText(summary).map(([label, value]) => (
            <span key={label} class="quiet">
              {inWords(label)}: <Sentence>{value}</Sentence>
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** The gateway names the read that was made: `listBalanceTransactions of cus_1`. */
function searchText(search: string): string {
  return search.replace(/^[a-z]+(?:[A-Z][a-z]+)+/, inWords);
}

const searchWords = {
  found: 'found',
  nothing_found: 'nothing was found; an absent object may still appear',
  unavailable: 'could not be read',
  not_askable: 'could not be searched for',
} as const;

/** The searches: where, for what, and with what result. */
function Searches({ view }: { view: CaseView }) {
  const { searches = [], problem } = view.provider;
  if (searches.length === 0) return problem === undefined ? null : <p class="problem-text">{problem}</p>;
  return (
    <ul class="calls" aria-label="What was looked for">
      {searches.map(({ step, search, looksFor, readAt, result, problem: why }) => (
        <li key={step} class="call">
          <b>{words(step)}</b>{' '}
          <span class={result === 'unavailable' ? 'problem-text' : undefined}>
            {searchWords[result]}
            {why === undefined ? '' : `: ${why}`}
          </span>
          <span class="quiet">
            <Sentence>{searchText(search)}</Sentence>
          </span>
          <span class="quiet">for {looksFor}</span>
          <Instant at={readAt} both />
        </li>
      ))}
    </ul>
  );
}

export function Executors({ view }: { view: CaseView }) {
  if (view.executors.length === 0)
    return (
      <p class="quiet">
        {view.kind === 'delivery'
          ? 'Deliveries are published by lifecycle-delivery until a receipt is durable.'
          : 'No attempt was admitted.'}
      </p>
    );
  return (
    <ul class="calls">
      {view.executors.map(({ attempt, instance, incarnation, state, startedAt, finishedAt, outcome }) => (
        <li key={`${attempt}${incarnation}${state}`} class="call">
          <b>{instance}</b> <Status status={state} />
          <span class="quiet">
            incarnation <Id>{incarnation}</Id>
          </span>
          {startedAt !== undefined && (
            <span class="quiet">
              attempt {attempt} began <Instant at={startedAt} both />
            </span>
          )}
          <span class="quiet">
            {finishedAt === undefined ? (
              'no end is recorded'
            ) : (
              <>
                ended {outcome && words(outcome)} <Instant at={finishedAt} both />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function Deliveries({ view }: { view: CaseView }) {
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries and receipts</h2>
      <Table
        head={['Consumer', 'Transition', 'Status', 'Attempts', '#Failed runs', 'Receipt or reason']}
        caption="Deliveries and receipts"
      >
        {view.deliveries.map((each) => (
          <tr key={each.consumer}>
            <td>
              <b>{each.consumer}</b>
            </td>
            <td>{words(each.transition)}</td>
            <td>
              <Status status={each.status} />
            </td>
            <td>
              <Attempts {...each} />
            </td>
            <td class="number">{each.failureCount}</td>
            <td>
              {each.receipt ? (
                <>
                  <Id>{each.receipt.receiptId}</Id> <Instant at={each.receipt.acceptedAt} />
                </>
              ) : (
                withoutReceipt(each)
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

export function Timeline({ events }: { events: readonly CaseEvent[] }) {
  return (
    <ol class="timeline">
      {events.map(({ at, what, detail, tone }, index) => (
        <li key={index} class={`tone-${tone}`}>
          <time dateTime={at} title={at}>
            {formatLocal(at)}
          </time>
          <span class="mark" aria-hidden="true" />
          <span>
            <b>{what}</b>
            {detail !== undefined && (
              <span class="quiet">
                <Sentence>{detail}</Sentence>
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
