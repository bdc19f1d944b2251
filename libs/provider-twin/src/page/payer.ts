/**
 * The pages for a paying person: checkout, the card holder's authentication, and an invoice. A choice of documented
 * test cards replaces a card form, so no real card number is ever requested.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { completeSession, returnUrl } from '../billing/checkout';
import { answerAuthentication } from '../billing/confirm';
import { paymentOf } from '../billing/invoice-payment';
import { answerSetupAuthentication } from '../billing/setup';
import { testCards } from '../billing/cards';
import { ProviderError } from '../http/errors';
import { parseForm } from '../http/form';
import type { Host } from '../http/pipeline';
import { enterEffect } from '../ledger';
import type { Invoice, Session } from '../tables';
import { escape, money, sendPage, table, when } from './html';

const noRequest = { requestId: null, idempotencyKey: null };

function cardOptions(): string {
  return testCards
    .filter((card) => card.names[0])
    .map(
      (card) =>
        `<option value="pm_card_${escape(card.names[0])}">${escape(`${card.brand} ${card.number.slice(-4)} (${card.names[0]})`)}</option>`,
    )
    .join('');
}

function field(body: unknown, name: string): string {
  if (body && typeof body === 'object') return String(Reflect.get(body, name) ?? '');
  return '';
}

function openCheckout(app: FastifyInstance, { twin, wakeWebhooks }: Host): void {
  function page(reply: FastifyReply, session: Readonly<Session>, wrong = '', status = 200): FastifyReply {
    const lines = twin.state.get('checkout_content', session.id)?.lines ?? [];
    const cancel = session.cancel_url
      ? `<p><a href="${escape(returnUrl(session.cancel_url, session.id))}">Back</a></p>`
      : '';
    const form = `<form method="post"><label>Email <input name="email" type="email" value="${escape(session.customer_email)}"></label>
      <label>Card <select name="paymentMethod">${cardOptions()}</select></label>
      <button class="main">${session.mode === 'setup' ? 'Save card' : `Pay ${escape(money(session.amount_total, session.currency))}`}</button></form>`;
    const body = `<h1>Checkout</h1>${table(
      ['Item', 'Quantity', 'Amount'],
      lines.map((line) => [line.description, line.quantity, money(line.amount, line.currency)]),
    )}
      ${wrong ? `<p class="wrong" role="alert">${escape(wrong)}</p>` : ''}${session.status === 'open' ? form : `<p>This session is ${escape(session.status)}.</p>`}${cancel}`;
    return sendPage(reply, 'Checkout', body, { status });
  }

  function pay(id: string, method: string, email: string): Session {
    return twin.transact(noRequest, () => {
      const session = completeSession(twin, id, method, email || undefined);
      enterEffect(twin, {
        method: 'PAGE',
        path: `/_twin/checkout/${id}`,
        idempotencyKey: null,
        requestId: null,
        status: 200,
        metadata: session.metadata,
        answer: session,
      });
      return session;
    });
  }

  app.get<{ Params: { id: string } }>('/_twin/checkout/:id', (request, reply) => {
    const session = twin.state.get('checkout.session', request.params.id);
    return session
      ? page(reply, session)
      : sendPage(reply, 'Checkout', '<h1>No such checkout session</h1>', { status: 404 });
  });
  app.post<{ Params: { id: string } }>('/_twin/checkout/:id', (request, reply) => {
    const session = twin.state.get('checkout.session', request.params.id);
    if (!session) return sendPage(reply, 'Checkout', '<h1>No such checkout session</h1>', { status: 404 });
    const json = request.headers['content-type']?.startsWith('application/json') ?? false;
    try {
      const paid = pay(session.id, field(request.body, 'paymentMethod'), field(request.body, 'email'));
      wakeWebhooks();
      const next = returnUrl(paid.success_url ?? '', paid.id);
      return json ? reply.send({ status: paid.status, successUrl: next }) : reply.redirect(next, 303);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return json
        ? reply.code(error.status).send({ error: error.body })
        : page(reply, session, error.message, error.status);
    }
  });
}

function openAuthentication(app: FastifyInstance, { twin, wakeWebhooks }: Host): void {
  app.get<{ Params: { id: string } }>('/_twin/authenticate/:id', (request, reply) => {
    const { id } = request.params;
    const intent = twin.state.get('payment_intent', id) ?? twin.state.get('setup_intent', id);
    if (!intent) return sendPage(reply, 'Authentication', '<h1>Nothing to authenticate</h1>', { status: 404 });
    const sum = 'amount' in intent ? ` of ${money(intent.amount, intent.currency)}` : '';
    const form =
      intent.status === 'requires_action'
        ? '<form method="post"><button class="main" name="accepted" value="true">Complete</button><button name="accepted" value="false">Fail</button></form>'
        : `<p>Nothing waits: ${escape(intent.status)}.</p>`;
    return sendPage(reply, 'Authentication', `<h1>Your bank asks: is this payment${escape(sum)} yours?</h1>${form}`);
  });
  app.post<{ Params: { id: string } }>('/_twin/authenticate/:id', (request, reply) => {
    const { id } = request.params;
    const accepted = field(request.body, 'accepted') !== 'false';
    const waiting = twin.state.get('payment_intent', id) ?? twin.state.get('setup_intent', id);
    if (!waiting) return reply.code(404).send({ error: { message: `no intent ${id}` } });
    const back = waiting.next_action?.redirect_to_url?.return_url;
    try {
      const intent = twin.transact(noRequest, () => {
        const answered =
          waiting.object === 'payment_intent'
            ? answerAuthentication(twin, id, accepted)
            : answerSetupAuthentication(twin, id, accepted);
        enterEffect(twin, {
          method: 'PAGE',
          path: `/_twin/authenticate/${id}`,
          idempotencyKey: null,
          requestId: null,
          status: 200,
          answer: answered,
        });
        return answered;
      });
      wakeWebhooks();
      if (request.headers['content-type']?.startsWith('application/json'))
        return reply.send({ id, status: intent.status });
      return back
        ? reply.redirect(back, 303)
        : sendPage(reply, 'Authentication', `<h1>Done: ${escape(intent.status)}</h1>`);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return reply.code(error.status).send({ error: error.body });
    }
  });
}

/** Registers the pages for paying people. */
export function openPayerPages(app: FastifyInstance, host: Host): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, parseForm(String(body)));
    } catch {
      done(Object.assign(new Error('not a form'), { statusCode: 400 }));
    }
  });
  openCheckout(app, host);
  openAuthentication(app, host);
  const confirmForm = (found: Readonly<Invoice>): string => {
    const payment = found.status === 'open' ? paymentOf(host.twin, found.id)?.payment.payment_intent : undefined;
    const waits = host.twin.state.get('payment_intent', String(payment ?? ''))?.status === 'requires_action';
    return waits
      ? '<form method="post"><button class="main" name="accepted" value="true">Confirm the payment</button><button name="accepted" value="false">Refuse it</button></form>'
      : '';
  };
  const invoice = (id: string, reply: FastifyReply): FastifyReply => {
    const found = host.twin.state.get('invoice', id);
    if (!found) return sendPage(reply, 'Invoice', '<h1>No such invoice</h1>', { status: 404 });
    const lines = table(
      ['Description', 'Period', 'Amount'],
      found.lines.data.map((line) => [
        line.description,
        `${when(line.period.start)} – ${when(line.period.end)}`,
        money(line.amount, line.currency),
      ]),
    );
    return sendPage(
      reply,
      `Invoice ${found.number ?? found.id}`,
      `<h1>Invoice ${escape(found.number ?? 'draft')}</h1><p>${escape(found.status)} · total ${escape(money(found.total, found.currency))} · due ${escape(money(found.amount_due, found.currency))} · paid ${escape(money(found.amount_paid, found.currency))}</p>${lines}${confirmForm(found)}`,
    );
  };
  // The person who answers for the bank on the hosted page of an invoice.
  app.post<{ Params: { id: string } }>('/_twin/invoices/:id', (request, reply) => {
    const intent = paymentOf(host.twin, request.params.id)?.payment.payment_intent;
    if (!intent) return reply.code(404).send({ error: { message: 'nothing of this invoice is to be paid' } });
    return reply.redirect(`/_twin/authenticate/${String(intent)}`, 307);
  });
  app.get<{ Params: { id: string } }>('/_twin/invoices/:id', (request, reply) => invoice(request.params.id, reply));
  app.get<{ Params: { id: string } }>('/_twin/invoices/:id/pdf', (request, reply) => invoice(request.params.id, reply));
  app.get<{ Params: { id: string } }>('/_twin/receipts/:id', (request, reply) => {
    const intent = host.twin.state.get('payment_intent', request.params.id);
    if (!intent) return sendPage(reply, 'Receipt', '<h1>No such payment</h1>', { status: 404 });
    return sendPage(
      reply,
      'Receipt',
      `<h1>Receipt</h1><p>${escape(money(intent.amount_received, intent.currency))} received.</p>`,
    );
  });
}
