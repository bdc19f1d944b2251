/** Refusals about money: the provider's objects and answers, limits, and checkouts. */
export const paymentCodes = {
  no_provider_customer: {
    status: 409,
    title: 'No provider customer',
    message: 'The workspace has no customer at the payment provider.',
    nextStep: 'Begin a checkout: it creates the customer.',
  },
  no_provider_subscription: {
    status: 409,
    title: 'No provider subscription',
    message: 'The workspace has no subscription at the payment provider.',
    nextStep: 'Begin a checkout: it creates the subscription.',
  },
  no_open_checkout: {
    status: 409,
    title: 'No open checkout',
    message: 'No checkout of this workspace waits for a payment.',
    nextStep: 'Read the workspace: the checkout has completed, has expired, or was never begun.',
  },
  no_waiting_payment: {
    status: 409,
    title: 'No waiting payment',
    message: 'No upgrade of this workspace waits for the confirmation of a payment.',
    nextStep: 'Read the workspace: the upgrade has completed, or was given up.',
  },
  payment_overdue: {
    status: 409,
    title: 'Payment overdue',
    message: 'A payment of this workspace is overdue, and its plan cannot change meanwhile.',
    nextStep: 'Have the open invoice paid first.',
  },
  credit_too_large: {
    status: 409,
    title: 'Credit too large',
    message: 'The amount is above the largest credit that this platform gives at once.',
    nextStep: 'Give a smaller credit. The preview of a credit shows the limit.',
  },
  credit_limit_reached: {
    status: 409,
    title: 'Credit limit reached',
    message: 'The amount is above what your role may still credit today.',
    nextStep:
      'Ask a colleague whose role may credit more, wait for the next day (UTC), or propose the credit for a second person to approve.',
  },
  checkout_in_progress: {
    status: 409,
    title: 'Checkout in progress',
    message: 'A checkout of this workspace waits for its payment, and nothing else changes the subscription meanwhile.',
    nextStep: 'Complete the checkout, wait until it expires, or expire it as an operator.',
  },
  provider_refused: {
    status: 422,
    title: 'Refused by the payment provider',
    message: 'The payment provider refused the request. Nothing was changed there.',
    nextStep:
      'Read the reason and correct its cause, then send the action under a new id. Where it charges, the customer may have no card at the provider: let the owner enter one there first.',
  },
  card_declined: {
    status: 402,
    title: 'Card declined',
    message: 'The card was declined. Nothing was charged.',
    nextStep:
      'Use another card and a new operation id. For 24 hours the same id repeats this refusal without asking the bank.',
  },
  authentication_required: {
    status: 402,
    title: 'Payment must be confirmed',
    message: 'The bank requires the holder of the card to confirm the payment. Nothing was changed.',
    nextStep: 'Begin a checkout, in which the holder can confirm it.',
  },
  confirmation_expired: {
    status: 402,
    title: 'Payment was not confirmed',
    message: 'The payment was not confirmed in time. Nothing was charged, and nothing was changed.',
    nextStep: 'If the change is still wanted, send it under a new id and confirm the payment.',
  },
  payment_failed: {
    status: 402,
    title: 'Payment failed',
    message: 'The bank refused the payment some days after it was made. The plan is as it was.',
    nextStep: 'Begin a new checkout.',
  },
  trial_refused: {
    status: 409,
    title: 'Trial refused',
    message: 'This card has had a trial before. The new trial was ended at once, and nothing was charged.',
    nextStep: 'Begin a new checkout. It has no trial.',
  },
  provider_unavailable: {
    status: 503,
    title: 'Payment provider unavailable',
    message: 'The payment provider did not execute the request.',
    nextStep: 'Repeat it with the same operation id and the same values.',
  },
  outcome_unknown: {
    status: 502,
    title: 'Outcome unknown',
    message: 'The payment provider may or may not have executed the request. Nothing is sent again.',
    nextStep: 'Stop retrying. Read the operation and its evidence, or open its case.',
  },
  capacity_exhausted: {
    status: 409,
    title: 'Capacity exhausted',
    message: 'This card holds as many free workspaces as one card may.',
    nextStep: 'Use another card, or choose a paid plan.',
  },
  card_identity_unknown: {
    status: 422,
    title: 'Card identity unknown',
    message: 'A free workspace needs a card that the payment provider can identify, and this one cannot be identified.',
    nextStep: 'Use another card, or choose a paid plan.',
  },
  payment_method_not_usable: {
    status: 422,
    title: 'Payment method not usable',
    message: 'The payment method is unknown at the payment provider, or belongs to another customer.',
    nextStep: 'Enter the card again to get a new payment method.',
  },
} as const;
