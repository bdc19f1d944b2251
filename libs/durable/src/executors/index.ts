/** The register of this process's work, the questions to other processes, and the alerts about silent executors. */
export { askBacklogs, backlogEndpoint, backlogsOf, type Backlog, type Outboxes } from './backlogs';
export {
  createAskExecutors,
  executorWaitMs,
  workEndpoint,
  type AskExecutors,
  type ExecutorQuestion,
} from './ask-executors';
export {
  createInterruptedWatch,
  interruptionNoticesCollection,
  type InterruptionNotice,
  type RunningWork,
} from './announce-interrupted';
export { instanceGoneOf, recordInstanceGone, type InstanceGone } from './instance-command';
export { askOffLine, openOffLineRequester, requestOffLine, type OffLineRequester } from './off-line';
export {
  beyondPatienceMs,
  createWorkRegister,
  plainRegister,
  type HeldWork,
  type WorkRegister,
  type WorkUnderWay,
} from './work-register';
