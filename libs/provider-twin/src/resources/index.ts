/** Every endpoint of the twin; any other path is an unrecognised url, as at the provider. */
import type { Endpoint } from '../http/endpoint';
import { checkoutSessionEndpoints } from './checkout-sessions';
import { customerEndpoints } from './customers';
import { eventEndpoints } from './events';
import { invoiceItemEndpoints } from './invoice-items';
import { invoiceEndpoints } from './invoices';
import { paymentIntentEndpoints } from './payment-intents';
import { paymentMethodEndpoints } from './payment-methods';
import { priceEndpoints } from './prices';
import { productEndpoints } from './products';
import { refundEndpoints } from './refunds';
import { scheduleEndpoints } from './schedules';
import { setupIntentEndpoints } from './setup-intents';
import { subscriptionItemEndpoints } from './subscription-items';
import { subscriptionEndpoints } from './subscriptions';
import { webhookEndpointEndpoints } from './webhook-endpoints';

export const endpoints: Endpoint[] = [
  ...customerEndpoints,
  ...productEndpoints,
  ...priceEndpoints,
  ...paymentMethodEndpoints,
  ...subscriptionEndpoints,
  ...subscriptionItemEndpoints,
  ...invoiceEndpoints,
  ...invoiceItemEndpoints,
  ...scheduleEndpoints,
  ...paymentIntentEndpoints,
  ...setupIntentEndpoints,
  ...checkoutSessionEndpoints,
  ...refundEndpoints,
  ...eventEndpoints,
  ...webhookEndpointEndpoints,
];
