/** Refusals that follow from the operation's own record, or from another operation that holds the subscription. */
export const operationCodes = {
  operation_id_reused: {
    status: 409,
    title: 'Operation id reused',
    message: 'This operation id is recorded with other values. Nothing was done for this request.',
    nextStep: 'Send the original values to repeat that operation, or choose a new id for a new one.',
  },
  operation_running: {
    status: 409,
    title: 'Operation running',
    message: 'An attempt of this operation has begun and its outcome is not recorded yet.',
    nextStep: 'Read the operation until its status changes. Do not send the action under a new id.',
  },
  reconciliation_required: {
    status: 409,
    title: 'Reconciliation required',
    message: 'The outcome of this operation at the payment provider is not known, so nothing is sent again.',
    nextStep: 'Stop retrying. Open the case of the operation and record what an investigation finds.',
  },
  retry_window_expired: {
    status: 409,
    title: 'Retry window expired',
    message: 'The operation was created more than 23 hours ago. The provider might not recognise a repeat any more.',
    nextStep: 'Read the workspace. If the action is still wanted, send it under a new id.',
  },
  transition_pending: {
    status: 409,
    title: 'Transition pending',
    message: 'Another operation is changing this subscription. Two changes never run at the same time.',
    nextStep: 'Wait until that operation has ended, then send this one again with the same id.',
  },
  resolved_not_applied: {
    status: 409,
    title: 'Closed by an investigation',
    message: 'An investigation found that this operation changed nothing, and closed it.',
    nextStep: 'If the action is still wanted, send it under a new id.',
  },
  preview_outdated: {
    status: 409,
    title: 'Preview outdated',
    message: 'The workspace, a plan or the provider has changed since the preview was made. Nothing was done.',
    nextStep: 'Make a new preview and decide again.',
  },
  partial_effect: {
    status: 409,
    title: 'Partly done',
    message: 'Some steps have changed something at the payment provider and the remaining steps have not run.',
    nextStep:
      'Repeat with the same operation id and the same values to continue where it ended. Where the reason asks for a new id, a repeat is refused.',
  },
} as const;
