import { createManualClock, createSequentialIds } from '@platform/kernel';
import { createFakeProvider } from './fake/fake-provider';
import { paymentProviderFeatures } from './payment-provider.features';

paymentProviderFeatures('the fake payment provider, behind the port', async () => {
  const provider = createFakeProvider({ clock: createManualClock(), ids: createSequentialIds() });
  provider.seed({ priceIds: ['price_starter', 'price_pro'], amounts: { price_starter: 1_900, price_pro: 4_900 } });
  let count = 0;
  const addWorkspace = async () => {
    count += 1;
    const [customerId, subscriptionId] = [`cus_${count}`, `sub_${count}`];
    provider.seed({ customers: [{ id: customerId }], subscriptions: [{ id: subscriptionId, customerId }] });
    return { customerId, subscriptionId, itemId: `si_${subscriptionId}` };
  };
  return {
    provider,
    addWorkspace,
    addDecliningWorkspace: async () => {
      const workspace = await addWorkspace();
      provider.failNext('card_declined', { path: `/v1/subscriptions/${workspace.subscriptionId}` });
      return workspace;
    },
    addAskingWorkspace: async () => {
      const workspace = await addWorkspace();
      provider.askForConfirmation(workspace.subscriptionId);
      return workspace;
    },
    confirmPayment: async (id) => void provider.confirmPayment(id),
    giveUpPayment: async (id) => void provider.expirePayment(id),
    priceIds: { starter: 'price_starter', pro: 'price_pro' },
    effects: async (operationId) => provider.ledger().filter((effect) => effect.operationId === operationId),
    failNext: async (kind) => provider.failNext(kind),
    completeCheckout: async (id, bank) => void provider.completeCheckout(id, { bankAnswersLater: bank !== undefined }),
    answerBank: async (id, pays) => void (pays ? provider.confirmPayment(id) : provider.expirePayment(id)),
    expireCheckout: async (id) => void provider.expireCheckout(id),
    close: async () => undefined,
  };
});
