/**
 * One consumer service, with the questions of its team: the contact, whether it reads now and how far behind it is,
 * which receipts it owes, what it answered wrongly and why, what it receives, and the contract.
 */
import type { ConsumerView, DeliveryView } from '@platform/contracts-lifecycle-delivery';
import type { ConsumerDetail } from '@platform/contracts-operator';
import { CommandLine, Empty, Fact, Head, Id, Instant, Shown, words } from '@platform/design-parts';
import { linkTo, linkToCase } from '../address';
import { Status } from '../parts';
import { useChanges, useIsTeam, useRead } from '../session';
import { ActionForm, useMayAct, type SectionProps } from './consumer-action-form';
import { Pause, Replay, Tests } from './consumer-actions';
import { DeliveryRows } from './deliveries';
import { EndpointForm } from './endpoint-form';
import { readerState } from './readers';
import type { DeliveriesPage } from './types';

/** Whether the consumer reads now; null while that is not known. */
function readsNow({ name }: ConsumerView, lag: ConsumerDetail['lag']): ReadonlySet<string> | null {
  if (lag === undefined) return null;
  const reads = lag.durable === 'present' && (lag.waiting > 0 || lag.ackPending > 0);
  return new Set(reads ? [name] : []);
}

function Liveness({ consumer, lag }: ConsumerDetail) {
  return (
    <dl class="summary">
      <Fact name="Status">
        <Status status={readerState(consumer, readsNow(consumer, lag))} />
      </Fact>
      <Fact name="Contact">{consumer.contact ?? <span class="quiet">none given at its registration</span>}</Fact>
      <Fact name="Served">
        {consumer.endpoint ? (
          <>
            over HTTP at <Id>{consumer.endpoint.url}</Id>, signed with the secret <Id>{consumer.endpoint.secretRef}</Id>
          </>
        ) : (
          'by the broker'
        )}
      </Fact>
      <Fact name="Registered">
        <Instant at={consumer.registeredAt} both /> <span class="quiet">by {consumer.registeredBy}</span>
      </Fact>
      {consumer.version !== undefined && <Fact name="Release">{consumer.version}</Fact>}
      <Fact name="Receives">{consumer.transitions.map(words).join(', ')}</Fact>
      <Fact name="Deliveries without a receipt">
        <b>{consumer.waitingDeliveries}</b>{' '}
        {consumer.oldestWaitingAt !== undefined && (
          <>
            oldest <Instant at={consumer.oldestWaitingAt} />
          </>
        )}
      </Fact>
      {lag?.durable === 'present' ? (
        <>
          <Fact name="Not handed over yet">{lag.pending}</Fact>
          <Fact name="Being worked on">{lag.ackPending}</Fact>
          <Fact name="Handed over again">{lag.redelivered}</Fact>
        </>
      ) : (
        <Fact name="Lag">{lag === undefined ? 'not known now' : 'it has no durable'}</Fact>
      )}
    </dl>
  );
}

function WrongReceipts({ refusedReceipts }: Pick<ConsumerView, 'refusedReceipts'>) {
  const team = useIsTeam();
  return (
    <section aria-labelledby="wrong">
      <h2 id="wrong">Receipts that could not be accepted</h2>
      {refusedReceipts === undefined ? (
        <p class="quiet">None.</p>
      ) : (
        <div class="notice">
          <p>
            <b>{refusedReceipts.count}</b> so far, the last one <Instant at={refusedReceipts.last.at} both />
            {refusedReceipts.last.operationId !== undefined && (
              <>
                {' '}
                for{' '}
                {team ? (
                  <Id>{refusedReceipts.last.operationId}</Id>
                ) : (
                  <a href={linkToCase('operation', refusedReceipts.last.operationId)}>
                    {refusedReceipts.last.operationId}
                  </a>
                )}
              </>
            )}
            : {refusedReceipts.last.reason}
          </p>
        </div>
      )}
    </section>
  );
}

/** The body of the message in its delivered form. */
const payloadOf = ({ tenantId, operationId, transition, createdAt }: DeliveryView): string =>
  JSON.stringify({ tenantId, operationId, transition, requestedAt: createdAt }, null, 2);

/** Keys belong to the broker and are created off-line; the page shows the commands and has no key. */
function Credentials({ name }: Pick<ConsumerView, 'name'>) {
  const team = useIsTeam();
  if (team)
    return (
      <section aria-labelledby="credentials">
        <h2 id="credentials">Credentials</h2>
        <p class="note">
          Your team signs on to the broker with a key of its own. The seed is in a file that your team keeps; the broker
          has the public key alone. For a new key, send its public half to the people of the platform: both keys are
          valid until they retire the old one.
        </p>
      </section>
    );
  return (
    <section aria-labelledby="credentials">
      <h2 id="credentials">Credentials</h2>
      <p class="note">
        The team signs on to the broker with its own key: the seed is in a file that the team keeps, and the broker has
        the public key alone. The name of the team is that of its account; usually it is the consumer’s.
      </p>
      <CommandLine purpose="Give the team its first key" line={`npm run -s team -- ${name}`} />
      <CommandLine purpose="Add a new key; the ones before stay valid" line={`npm run -s team -- ${name} --rotate`} />
      <CommandLine purpose="End every key but the newest" line={`npm run -s team -- ${name} --retire`} />
    </section>
  );
}

/** How its own people take part without the broker. */
function EndpointCredentials({ consumer, done }: SectionProps) {
  const mayAct = useMayAct(consumer, 'pause');
  return (
    <section aria-labelledby="credentials">
      <h2 id="credentials">Endpoint</h2>
      <p class="note">
        Each message is a signed POST; the team checks the signature with its secret. The secret is a file of
        lifecycle-delivery named <Id>{consumer.endpoint?.secretRef ?? ''}</Id>: with a second line both sign, and the
        team changes when it likes.
      </p>
      {mayAct && (
        <details>
          <summary>Move it</summary>
          <EndpointForm consumer={consumer} done={done} />
        </details>
      )}
      {mayAct && (
        <ActionForm
          consumer={consumer}
          done={done}
          action="remove_endpoint"
          name="endpoint"
          label={`Remove the endpoint of ${consumer.name}`}
          note="It is not required from then on. What waits for it stays visible."
        />
      )}
    </section>
  );
}

function Contract({ consumer, example }: { consumer: ConsumerView; example: DeliveryView | undefined }) {
  const { name, transitions } = consumer;
  const shown = example ?? {
    tenantId: 'acme',
    operationId: 'op-2026-0001',
    transition: transitions[0]!,
    createdAt: '2026-03-02T08:00:00.000Z',
  };
  const receipt = {
    tenantId: shown.tenantId,
    operationId: shown.operationId,
    transition: shown.transition,
    receiptId: `${name}:${shown.operationId}`,
    effectiveAt: shown.createdAt,
  };
  return (
    <section aria-labelledby="contract">
      <h2 id="contract">Contract</h2>
      <p class="note">
        {consumer.endpoint ? (
          'The endpoint gets each message as a signed POST, and answers 200 with its receipt once its own effect is durable.'
        ) : (
          <>
            The consumer reads the durable <Id>{name}</Id> of the stream <Id>TENANT_LIFECYCLE</Id> with the account of
            its team, and answers each message once its own effect is durable.
          </>
        )}{' '}
        A repeat of an operation is answered with the same receipt.
      </p>
      <div class="halves">
        <div>
          <h3>It receives, for example</h3>
          <p>
            <Id>
              {consumer.endpoint ? `POST ${consumer.endpoint.url}` : `tenant.lifecycle.${shown.transition}.${name}`}
            </Id>
          </p>
          <pre class="payload">{payloadOf(shown as DeliveryView)}</pre>
        </div>
        <div>
          <h3>It answers, for example</h3>
          <p>
            <Id>{consumer.endpoint ? '200, application/json' : `tenant.receipt.${name}`}</Id>
          </p>
          <pre class="payload">{JSON.stringify(receipt, null, 2)}</pre>
        </div>
      </div>
    </section>
  );
}

export function ConsumerScreen({ name, filters }: { name: string; filters: Readonly<Record<string, string>> }) {
  const team = useIsTeam();
  const path = `/api/saas/lifecycle/consumers/${encodeURIComponent(name)}`;
  const detail = useRead<ConsumerDetail>(path);
  const deliveries = useRead<DeliveriesPage>(`${path}/deliveries`, {
    ...{ limit: 50, cursor: filters['cursor'], status: filters['status'] },
  });
  useChanges(
    (data) => data['kind'] === 'delivery',
    () => {
      detail.again();
      deliveries.again();
    },
    2_000,
  );
  return (
    <section class="consumer">
      <Head title={name} note="A consumer service: it receives lifecycle messages and gives receipts.">
        {!team && (
          <a class="button" href={linkTo(['queue'], { cause: `consumer:${name}` })}>
            What waits for it
          </a>
        )}
      </Head>
      {detail.problem?.code === 'not_found' ? (
        <Empty
          title={
            team
              ? `There is no consumer ${name}, or it is one of another team.`
              : `No consumer ${name} has ever registered.`
          }
        >
          {!team && <a href={linkTo(['deliveries'])}>All consumers</a>}
        </Empty>
      ) : (
        <Shown reading={detail}>
          {({ consumer, lag }) => (
            <>
              <Liveness consumer={consumer} lag={lag} />
              <Pause consumer={consumer} done={detail.again} />
              <Tests consumer={consumer} done={detail.again} />
              <Replay consumer={consumer} done={detail.again} />
              <WrongReceipts refusedReceipts={consumer.refusedReceipts} />
              <section aria-labelledby="deliveries">
                <h2 id="deliveries">Deliveries</h2>
                <DeliveryRows reading={deliveries} screen={['consumers', name]} filters={filters} />
              </section>
              <Contract consumer={consumer} example={deliveries.data?.deliveries[0]} />
              {consumer.endpoint ? (
                <EndpointCredentials consumer={consumer} done={detail.again} />
              ) : (
                <Credentials name={consumer.name} />
              )}
            </>
          )}
        </Shown>
      )}
    </section>
  );
}
