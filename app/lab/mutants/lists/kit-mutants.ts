import type { Mutant } from './mutant.ts'

/** Faults of what both sides agree on: histories should find them, too (`--histories`). */
export const ruleMutants: readonly Mutant[] = [
  {
    name: 'the older of two marks of reading wins',
    kind: 'dropped field',
    file: 'schema/conversation.ts',
    before: 'const readUpTo = Math.max(a.readUpTo, b.readUpTo)',
    after: 'const readUpTo = Math.min(a.readUpTo, b.readUpTo)',
    tests: ['schema/merge.test.ts'],
    isForHistories: true,
  },
  {
    name: 'a chat that was cleared elsewhere comes back',
    kind: 'dropped field',
    file: 'schema/conversation.ts',
    before: 'clearedUpTo: Math.max(a.clearedUpTo, b.clearedUpTo)',
    after: 'clearedUpTo: a.clearedUpTo',
    tests: ['schema/merge.test.ts'],
  },
  {
    name: 'a message that is tried again is taken for a change',
    kind: 'skipped step',
    file: 'schema/decide-message.ts',
    before: 'if (isRetry) return decideNew({ ...proposal, proposed: next })\n',
    after: '',
    tests: ['schema/decide-message.test.ts'],
  },
  {
    name: 'a change of a message that was not sent reaches the other person',
    kind: 'skipped step',
    file: 'schema/decide-message.ts',
    before: '    isAccepted(stored) &&\n    ((isAuthor',
    after: '    ((isAuthor',
    tests: ['schema/decide-message.test.ts'],
  },
  {
    name: 'an edit stays with its author',
    kind: 'dropped field',
    file: 'schema/decide-message.ts',
    before: '((isAuthor && !areFieldsEqual(authorFields, stored, next)) ||',
    after: '((isAuthor && areFieldsEqual(authorFields, stored, next)) ||',
    tests: ['schema/decide-message.test.ts'],
    isForHistories: true,
  },
  {
    name: 'a deleted message keeps its words',
    kind: 'skipped step',
    file: 'schema/message-registers.ts',
    before: "deletion: 'blank',\n    blank: '',",
    after: "deletion: 'stays',\n    blank: '',",
    tests: ['schema/message-registers.test.ts', 'schema/decide-message.test.ts'],
    isForHistories: true,
  },
]

/** Faults of the lab's kit, which would find nothing and say so of a broken app. */
export const kitMutants: readonly Mutant[] = [
  {
    name: 'a lab is quiet while a write waits for its answer',
    kind: 'skipped step',
    file: 'app/lab/kit/lab.ts',
    before: '![...underWay].some((exchange) => isUnderWay(exchange))',
    after: "underWay.size >= 0 && typeof isUnderWay === 'function'",
    tests: ['app/lab/kit/lab.test.ts'],
  },
  {
    name: 'steps that should settle follow at once',
    kind: 'skipped step',
    file: 'app/lab/kit/histories.ts',
    before: 'if (settlesSteps) await settle()\n',
    after: '',
    tests: ['app/lab/kit/lab.test.ts'],
  },
  {
    name: 'a line that breaks ends an answer as if it were whole',
    kind: 'skipped step',
    file: 'app/lab/kit/break-off.ts',
    before: 'controller.error(signal.reason)',
    after: 'controller.close()',
    tests: ['app/lab/kit/break-off.test.ts'],
  },
  {
    name: 'a disk that failed once fails for ever',
    kind: 'off by one',
    file: 'app/lab/kit/disk.ts',
    before: '    if (isFailing) state.commitsFailing -= 1\n',
    after: '',
    tests: ['app/lab/kit/disk.test.ts'],
  },
  {
    name: 'a disk with room again goes on failing',
    kind: 'dropped field',
    file: 'app/lab/kit/disk.ts',
    before: '        commitsFailing: 0,\n      })',
    after: '      })',
    tests: ['app/lab/kit/disk.test.ts'],
  },
  {
    name: 'a slow disk is as fast as any',
    kind: 'skipped step',
    file: 'app/lab/kit/disk.ts',
    before: '!running._started && how.slowMs > 0',
    after: '!running._started && how.slowMs < 0',
    tests: ['app/lab/kit/disk.test.ts'],
  },
]
