/** Checkout sessions: create, read, expire. The twin itself serves the page on which a person pays. */
import { expireSession } from '../billing/checkout';
import { checkoutLines } from '../billing/checkout-lines';
import { endpoint, page } from '../http/endpoint';
import { pageOf } from '../http/pagination';
import { changedMetadata, metadata, oneOf, text } from '../http/params';
import { create } from './checkout-creation';
import { createParams } from './checkout-params';
import { listEndpoint } from './listing';
import { found } from './lookup';

export const checkoutSessionEndpoints = [
  endpoint('POST', '/v1/checkout/sessions', createParams, create),
  endpoint('GET', '/v1/checkout/sessions/:session', {}, (twin, _given, { session }) =>
    found(twin, 'checkout.session', session),
  ),
  endpoint('POST', '/v1/checkout/sessions/:session', { metadata }, (twin, given, { session: id }) => {
    const session = twin.state.edit('checkout.session', found(twin, 'checkout.session', id).id);
    session.metadata = changedMetadata(session.metadata, given.metadata);
    return session;
  }),
  endpoint('POST', '/v1/checkout/sessions/:session/expire', {}, (twin, _given, { session }) =>
    expireSession(twin, found(twin, 'checkout.session', session).id),
  ),
  endpoint('GET', '/v1/checkout/sessions/:session/line_items', page, (twin, given, { session }) =>
    pageOf(
      checkoutLines(twin.state, found(twin, 'checkout.session', session).id),
      given,
      `/v1/checkout/sessions/${session}/line_items`,
      'item',
    ),
  ),
  listEndpoint('/v1/checkout/sessions', 'checkout.session', {
    customer: text(),
    subscription: text(),
    payment_intent: text(),
    status: oneOf('open', 'complete', 'expired'),
  }),
];
