/**
 * Parts of a workspace whose data comes from other sources: its owner and identities at the provider, its invoice, its
 * deliveries.
 */
import type { WorkspaceDetail } from '@platform/contracts-operator';
import type { ComponentChildren } from 'preact';
import { linkTo, linkToCase } from '../address';
import { Fact, Id, Instant, Table, words } from '@platform/design-parts';
import { Amount, Status } from '../parts';
import { withoutReceipt } from './words';

function AtProvider({ id, url }: { id: string | undefined; url: string | undefined }) {
  if (id === undefined) return <span class="quiet">none</span>;
  if (url === undefined) return <Id>{id}</Id>;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      <Id>{id}</Id>
    </a>
  );
}

function Invoice({ detail: { invoice, provider } }: { detail: WorkspaceDetail }) {
  if (invoice.state === 'none') return <span class="quiet">none</span>;
  if (invoice.state === 'unavailable') return <span class="quiet">not known now: {invoice.problem}</span>;
  const { invoiceId, status, total, currency } = invoice.value;
  return (
    <>
      <AtProvider id={invoiceId} url={provider.invoiceUrl} /> <Status status={status} />{' '}
      {currency !== undefined && <Amount money={{ amountCents: total, currency }} />}
    </>
  );
}

/** The owner of the workspace, and its ids at the payment provider. */
export function Identity({ detail }: { detail: WorkspaceDetail }) {
  const { workspace, provider } = detail;
  const person = workspace.owner?.email ?? workspace.owner?.userId;
  return (
    <dl class="summary">
      <Fact name="Owner">
        {person === undefined ? (
          <span class="quiet">not recorded</span>
        ) : (
          <a href={linkTo(['activity'], { actor: person })}>{person}</a>
        )}
      </Fact>
      <Fact name="Customer">
        <AtProvider id={workspace.provider.customerId} url={provider.customerUrl} />
      </Fact>
      <Fact name="Subscription">
        <AtProvider id={workspace.provider.subscriptionId} url={provider.subscriptionUrl} />
      </Fact>
      <Fact name="First invoice">
        <Invoice detail={detail} />
      </Fact>
    </dl>
  );
}

function Section({ children }: { children: ComponentChildren }) {
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      {children}
    </section>
  );
}

/** The deliveries of the workspace's latest operations and of its creation. */
export function Deliveries({ deliveries }: Pick<WorkspaceDetail, 'deliveries'>) {
  if (deliveries.state === 'none')
    return (
      <Section>
        <p class="quiet">Its latest ten operations and its creation sent consumers no message.</p>
      </Section>
    );
  if (deliveries.state === 'unavailable')
    return (
      <Section>
        <p role="status">Not known now: {deliveries.problem}.</p>
      </Section>
    );
  return (
    <Section>
      <p class="note">
        Those of its latest ten operations and of its creation. The case of an earlier operation shows its own.
      </p>
      <Table
        head={['Consumer', 'Transition', 'Operation', 'Status', 'Receipt', 'Why there is none', 'Begun']}
        caption="Deliveries to consumers"
      >
        {deliveries.value.map((each) => (
          <tr key={`${each.operationId}/${each.consumer}`}>
            <td>
              <a href={linkTo(['consumers', each.consumer])}>{each.consumer}</a>
            </td>
            <td>{words(each.transition)}</td>
            <td>
              <a href={linkToCase('delivery', `${each.operationId}/${each.consumer}`)}>
                <Id>{each.operationId}</Id>
              </a>
            </td>
            <td>
              <Status status={each.status} />
            </td>
            <td>{each.receipt ? <Id>{each.receipt.receiptId}</Id> : 'none'}</td>
            <td>{each.receipt ? '–' : withoutReceipt(each)}</td>
            <td>
              <Instant at={each.createdAt} />
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
