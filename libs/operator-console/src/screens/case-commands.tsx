/** What a person may do about a case: off-line commands to copy, and the case that it belongs to. */
import type { CaseView } from '@platform/contracts-operator';
import { linkTo, linkToCase } from '../address';
import { CommandLine } from '@platform/design-parts';

/** The case to which a part belongs; nothing for a case that is not a part. */
function RelatedCase({ view }: { view: CaseView }) {
  return (
    <>
      {view.kind === 'migration' && (
        <p>
          <a href={linkTo(['migrations', view.id])}>Progress and outcomes of every workspace</a>
        </p>
      )}
      {view.kind === 'migration_item' && (
        <p>
          <a href={linkToCase('migration', view.id.slice(0, view.id.indexOf(':')))}>
            The migration that this belongs to
          </a>
        </p>
      )}
      {view.kind === 'webhook_event' &&
        view.tenantId !== null &&
        view.intent.some(({ label, value }) => label === 'owner' && value === 'provisioning') && (
          <p>
            <a href={linkToCase('provisioning_attempt', view.tenantId)}>The creation behind this event</a>
          </p>
        )}
      {view.kind === 'delivery' && (
        <p>
          <a
            href={linkToCase(
              view.id.startsWith('workspace-created:') ? 'provisioning_attempt' : 'operation',
              view.id.startsWith('workspace-created:')
                ? (view.tenantId ?? '')
                : view.id.slice(0, view.id.lastIndexOf('/')),
            )}
          >
            The case that this delivery belongs to
          </a>
        </p>
      )}
    </>
  );
}

export function Commands({ view }: { view: CaseView }) {
  return (
    <section aria-labelledby="commands">
      <h2 id="commands">Off-line commands</h2>
      <p class="note">
        The console resolves nothing. A resolution needs both proofs, database credentials, and your token.
      </p>
      {view.commands.map((command) => (
        <CommandLine key={command.line} {...command} />
      ))}
      <RelatedCase view={view} />
    </section>
  );
}
