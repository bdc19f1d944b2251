// Every endpoint that the twin offers; what is not here is an unrecognised url, as at the provider.
import type { Endpoint } from '../http/endpoint';
import { customerEndpoints } from './customers';
import { invoiceEndpoints } from './invoices';
import { paymentMethodEndpoints } from './payment-methods';
import { productEndpoints } from './products';
import { subscriptionEndpoints } from './subscriptions';
import { webhookEndpointEndpoints } from './webhook-endpoints';

export const endpoints: Endpoint[] = [
  ...customerEndpoints,
  ...productEndpoints,
  ...paymentMethodEndpoints,
  ...subscriptionEndpoints,
  ...invoiceEndpoints,
  ...webhookEndpointEndpoints,
];
