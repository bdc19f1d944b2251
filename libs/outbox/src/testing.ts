/** A publisher that records its messages and answers as the test decides, for tests of services that announce. */
import type { Publish, RelayedMessage } from './port';

export interface RecordingPublisher {
  readonly publish: Publish;
  /** Every call in order, including repeats. */
  readonly messages: readonly RelayedMessage[];
  /** Decides the answers from now on; a function that throws represents a publisher that refuses. */
  answer(decide: (message: RelayedMessage) => 'acknowledged' | 'unknown' | Promise<'acknowledged' | 'unknown'>): void;
}

/** Acknowledges everything until the test decides otherwise. */
export function createRecordingPublisher(): RecordingPublisher {
  const messages: RelayedMessage[] = [];
  let decide: Parameters<RecordingPublisher['answer']>[0] = () => 'acknowledged';
  return {
    messages,
    publish: async (message) => {
      messages.push(message);
      return decide(message);
    },
    answer(next) {
      decide = next;
    },
  };
}
