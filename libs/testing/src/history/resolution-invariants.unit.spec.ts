import { checkHistory } from '../history';
import { clean } from '../history.harness';
import { resolved } from './resolution-histories';

describe('the invariant of resolutions', () => {
  it('lets two people override what the provider shows', () => {
    const override = { proposedBy: 'ann@example.com', approvedBy: 'bob@example.com' };
    const change = resolved({ outcome: 'not_applied', providerObject: null, override });
    expect(checkHistory({ ...clean, ...change }).map(({ invariant }) => invariant)).not.toContain('I17');
  });
});
