/** The reference model, checked over small worlds. When any rule is removed, at least one theorem must fail. */
import { proofSize } from '@platform/testing';
import { check, without } from './check';
import { rules } from './rules';
import { scopes } from './scopes';

const whole = proofSize({ lean: false, full: true });
const narrow = scopes.filter(({ hours }) => hours.length === 0);
/**
 * The absence of most rules shows early in one of the worlds, so each world is explored a little before any is explored
 * completely.
 */
const patience = [300, 3_000, Infinity];
const checked = whole ? scopes : narrow;

describe('the reference model', () => {
  it.each(checked.map((scope) => [scope.name, scope] as const))(
    'keeps its theorems in every order of events: %s',
    (_name, scope) => {
      const { finding, states, steps, depth } = check(scope);
      process.stdout.write(`model: ${scope.name}: ${states} states, ${steps} steps, ${depth} deep\n`);
      expect(finding).toBeNull();
      expect(states).toBeGreaterThan(1);
    },
  );

  it.each(rules.map(({ name }) => [name]))('loses a theorem without the rule: %s', (name) => {
    const by = without(name);
    const found = patience.some((most) => scopes.some((scope) => check(scope, by, most).finding));
    expect(found).toBe(true);
  });

  it('reaches a dead state when no person may end what a crash has left', () => {
    const unresolved = [
      {
        name: 'no person resolves',
        from: '',
        judge: (_: unknown, { kind }: { readonly kind: string }) => (kind === 'resolve' ? 'no' : null),
      },
    ];
    expect(check(narrow[0]!, [...rules, ...unresolved]).finding).toMatchObject({ theorem: 'no dead state' });
  });
});
