/** The collections whose records carry an outbox, by the service that owns them: when all is done, each is empty. */
export const announcing = [
  ['operator', 'operations'],
  ['operator', 'subscriptions'],
  ['operator', 'plan_migrations'],
  ['operator', 'plan_migration_items'],
  ['operator', 'provider_event_admissions'],
  ['provisioning', 'attempts'],
  ['provisioning', 'lifecycle_outbox'],
  ['provisioning', 'deletions'],
  ['provisioning', 'creation_remains'],
  ['provisioning', 'provider_event_admissions'],
  ['lifecycle-delivery', 'lifecycle_messages'],
  ['billing-webhook', 'payment_provider_webhook_events'],
] as const;
