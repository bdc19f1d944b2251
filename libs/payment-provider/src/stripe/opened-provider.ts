/** The opened port, with connections that must be closed. */
import type { PaymentProvider } from '../port';

export interface StripeProvider extends PaymentProvider {
  /** Closes idle connections. */
  close(): void;
}
