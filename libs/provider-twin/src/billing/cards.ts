/**
 * The provider's documented test cards, and how each number and name behaves. The behaviour follows the number, which
 * the stored method's fingerprint identifies, so the same card behaves the same everywhere.
 */
import { hashText } from '../ids';

/** A card's result: charged, refused with a code, or a request for the holder's authentication. */
export type Behaviour =
  | { kind: 'succeeds' }
  | { kind: 'declines'; code: string; declineCode: string; whenAttached: boolean }
  | { kind: 'authenticates'; unlessSetUp: boolean; then: 'succeeds' | 'insufficient_funds' };

export interface TestCard {
  number: string;
  names: string[];
  brand: string;
  funding: 'credit' | 'debit' | 'prepaid';
  behaviour: Behaviour;
}

const succeeds: Behaviour = { kind: 'succeeds' };
const declines = (code: string, declineCode = code, whenAttached = true): Behaviour => ({
  kind: 'declines',
  code,
  declineCode,
  whenAttached,
});
const card = (
  number: string,
  names: string[],
  behaviour: Behaviour = succeeds,
  brand = 'visa',
  funding: TestCard['funding'] = 'credit',
): TestCard => ({ number, names, brand, funding, behaviour });

export const testCards: TestCard[] = [
  card('4242424242424242', ['visa']),
  card('4000056655665556', ['visa_debit'], succeeds, 'visa', 'debit'),
  card('5555555555554444', ['mastercard'], succeeds, 'mastercard'),
  card('5200828282828210', ['mastercard_debit'], succeeds, 'mastercard', 'debit'),
  card('5105105105105100', ['mastercard_prepaid'], succeeds, 'mastercard', 'prepaid'),
  card('378282246310005', ['amex'], succeeds, 'amex'),
  card('6011111111111117', ['discover'], succeeds, 'discover'),
  card('3056930009020004', ['diners'], succeeds, 'diners'),
  card('3566002020360505', ['jcb'], succeeds, 'jcb'),
  card('6200000000000005', ['unionpay'], succeeds, 'unionpay'),
  card('4000000000000077', ['bypassPending']),
  card('4000000000000002', ['chargeDeclined', 'visa_chargeDeclined'], declines('card_declined', 'generic_decline')),
  card(
    '4000000000009995',
    ['chargeDeclinedInsufficientFunds', 'visa_chargeDeclinedInsufficientFunds'],
    declines('card_declined', 'insufficient_funds'),
  ),
  card(
    '4000000000009987',
    ['chargeDeclinedLostCard', 'visa_chargeDeclinedLostCard'],
    declines('card_declined', 'lost_card'),
  ),
  card(
    '4000000000009979',
    ['chargeDeclinedStolenCard', 'visa_chargeDeclinedStolenCard'],
    declines('card_declined', 'stolen_card'),
  ),
  card(
    '4000000000006975',
    ['chargeDeclinedVelocityLimitExceeded', 'visa_chargeDeclinedVelocityLimitExceeded'],
    declines('card_declined', 'card_velocity_exceeded'),
  ),
  card('4000000000000069', ['chargeDeclinedExpiredCard'], declines('expired_card')),
  card('4000000000000127', ['chargeDeclinedIncorrectCvc'], declines('incorrect_cvc')),
  card('4000000000000119', ['chargeDeclinedProcessingError'], declines('processing_error')),
  card('4100000000000019', ['radarBlock', 'chargeDeclinedFraudulent'], declines('card_declined', 'fraudulent', false)),
  card('4000000000000341', ['chargeCustomerFail'], declines('card_declined', 'generic_decline', false)),
  card('4000002500003155', ['authenticationRequiredOnSetup'], {
    kind: 'authenticates',
    unlessSetUp: true,
    then: 'succeeds',
  }),
  card('4000002760003184', ['authenticationRequired'], { kind: 'authenticates', unlessSetUp: false, then: 'succeeds' }),
  card('4000008260003178', ['authenticationRequiredChargeDeclinedInsufficientFunds'], {
    kind: 'authenticates',
    unlessSetUp: false,
    then: 'insufficient_funds',
  }),
  card('4000000000003220', ['threeDSecure2Required', 'threeDSecureRequired'], {
    kind: 'authenticates',
    unlessSetUp: false,
    then: 'succeeds',
  }),
  card('4000000000003055', ['threeDSecureOptional']),
];

const declineMessages: Record<string, string> = {
  insufficient_funds: 'Your card has insufficient funds.',
  expired_card: 'Your card has expired.',
  incorrect_cvc: "Your card's security code is incorrect.",
  processing_error: 'An error occurred while processing your card. Try again in a little bit.',
  card_velocity_exceeded:
    'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
  authentication_required: 'Your card was declined. This transaction requires authentication.',
};

/** The holder's message for a decline code. */
export const declineMessage = (declineCode: string): string =>
  declineMessages[declineCode] ?? 'Your card was declined.';

/** Identifies a card number without revealing it. */
export const fingerprintOf = (number: string): string => hashText(16, 'card', number);

const byFingerprint = new Map(testCards.map((each) => [fingerprintOf(each.number), each]));
const byName = new Map(testCards.flatMap((each) => each.names.map((name): [string, TestCard] => [name, each])));

/** The test card behind a documented name (`pm_card_visa`, `tok_visa`), if it is one. */
export function cardNamed(name: string): TestCard | undefined {
  const short = /^(?:pm_card_|tok_)(.+)$/.exec(name)?.[1];
  return short === undefined ? undefined : byName.get(short);
}

/** How the card with this fingerprint behaves; cards that are not documented test cards succeed. */
export const behaviourOf = (fingerprint: string | null | undefined): Behaviour =>
  byFingerprint.get(fingerprint ?? '')?.behaviour ?? succeeds;

function luhnValid(number: string): boolean {
  let sum = 0;
  [...number].reverse().forEach((digit, at) => {
    const doubled = Number(digit) * (at % 2 === 1 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  });
  return sum % 10 === 0;
}

/** The card with this number: a documented one, or any number with a valid check digit. */
export function cardNumbered(number: string): TestCard | undefined {
  const digits = number.replaceAll(/[ -]/g, '');
  const known = testCards.find((each) => each.number === digits);
  if (known) return known;
  if (!/^\d{12,19}$/.test(digits) || !luhnValid(digits)) return undefined;
  const brand = digits.startsWith('4')
    ? 'visa'
    : /^5[1-5]/.test(digits)
      ? 'mastercard'
      : /^3[47]/.test(digits)
        ? 'amex'
        : 'unknown';
  return card(digits, [], succeeds, brand);
}
