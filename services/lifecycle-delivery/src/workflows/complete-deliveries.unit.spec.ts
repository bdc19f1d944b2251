/** The deliveries of an accepted message: what is known of them once each was looked at. */
import type { AwaitingMessage } from '../domain/lifecycle-message';
import { startService, type StartedService } from '../testing/started-service';
import { completeDeliveries } from './complete-deliveries';

describe('the deliveries of a message', () => {
  let { world, running, ports } = {} as StartedService;
  beforeEach(async () => {
    ({ world, running, ports } = await startService());
    for (const name of ['storage', 'search-index']) await world.register(name);
    await world.announce('operation-1');
    await world.broker.settle();
  });
  afterEach(() => running.close());

  const complete = async () =>
    completeDeliveries(ports, (await ports.messages.findById('operation-1')) as AwaitingMessage);
  const receipt = async (consumer: string) => {
    await world.receipt(consumer, 'operation-1');
    await world.broker.settle();
  };

  it('are under way until each has ended', async () => {
    const message = (await ports.messages.findById('operation-1')) as AwaitingMessage;
    expect(await complete()).toEqual({ result: 'under_way' });
    await receipt('storage');
    expect(await complete()).toEqual({ result: 'under_way' });
    await receipt('search-index');
    expect(await completeDeliveries(ports, message)).toEqual({ result: 'all_settled' });
  });
});
