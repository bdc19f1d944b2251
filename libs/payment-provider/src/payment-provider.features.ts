/** What every payment provider behind the port does, real or fake; a fake that fails here is not a fake. */
import { balanceFeatures } from './balance.features';
import { checkoutFeatures } from './checkout.features';
import { creationFeatures } from './creation.features';
import type { ProviderHarness } from './payment-provider.harness';
import { readFeatures } from './read.features';
import { evidenceFeatures } from './evidence.features';
import { faultFeatures, idempotencyFeatures } from './repeat.features';
import { scheduleFeatures } from './schedule.features';
import { endingFeatures, subscriptionFeatures } from './subscription.features';

/** The suite. `open` runs once; every test works on objects of its own. */
export function paymentProviderFeatures(name: string, open: () => Promise<ProviderHarness>): void {
  describe(name, () => {
    let harness: ProviderHarness;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());
    subscriptionFeatures(() => harness);
    endingFeatures(() => harness);
    scheduleFeatures(() => harness);
    balanceFeatures(() => harness);
    idempotencyFeatures(() => harness);
    faultFeatures(() => harness);
    readFeatures(() => harness);
    creationFeatures(() => harness);
    checkoutFeatures(() => harness);
    evidenceFeatures(() => harness);
  });
}
