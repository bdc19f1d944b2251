/** The creations that the crash sweep plays. */
import type { CreateWorkspace } from '@platform/contracts-provisioning';
import type { Person } from './asked-person';
import { creationRequest, freePlan } from './provisioning-world';

export interface Case {
  readonly name: string;
  readonly request: CreateWorkspace;
  readonly trialDays?: number;
  /** What the asked person does after the crash, or before it where the subscription ends first; without it none is asked. */
  readonly person?: Person;
}

const asking = creationRequest({ paymentMethodId: 'pm_card_authenticationRequired' });

export const cases: readonly Case[] = [
  { name: 'creation of a paid plan', request: creationRequest() },
  { name: 'creation of a free plan', request: creationRequest({ plan: freePlan }) },
  { name: 'creation with a trial', request: creationRequest(), trialDays: 14 },
  {
    name: 'rollback after a declined payment',
    request: creationRequest({ paymentMethodId: 'pm_card_chargeCustomerFail' }),
  },
  { name: 'creation whose payment is confirmed', request: asking, person: 'confirms' },
  { name: 'creation whose payment no person confirms', request: asking, person: 'does nothing' },
  { name: 'creation whose subscription a person ends', request: asking, person: 'ends the subscription' },
  { name: 'creation that is paid after its subscription has ended', request: asking, person: 'pays after its end' },
];
