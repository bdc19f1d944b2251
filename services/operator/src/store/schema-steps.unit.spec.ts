import { withSearchKeys } from '../mirror/domain/search-keys';
import { createOperatorWorld } from '../testing/operator-world';
import { schemaSteps } from './schema-steps';

describe('the schema steps', () => {
  it('give an earlier workspace the keys that a write of this build would give it, and twice the same', async () => {
    const world = await createOperatorWorld();
    const [step] = schemaSteps;
    const earlier = world.subscription()!;
    const changed = step!.change({ ...earlier });
    expect(earlier).not.toHaveProperty('search');
    expect(changed).toEqual(withSearchKeys(earlier));
    expect(step!.change(changed)).toEqual(changed);
  });
});
