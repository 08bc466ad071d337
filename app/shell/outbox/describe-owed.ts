import type { OwedWhat } from '../../sync/outbox/outbox-types.ts'

const words: Record<OwedWhat, string> = {
  deleted: 'Message deleted',
  edited: 'Message edited',
  starred: 'Message starred',
  unstarred: 'Star removed',
  reacted: 'Reaction changed',
  read: 'Chat read',
  cleared: 'Chat cleared',
  pinned: 'Chat pinned',
  unpinned: 'Chat unpinned',
  archived: 'Chat archived',
  unarchived: 'Chat unarchived',
  muted: 'Chat muted',
  unmuted: 'Chat unmuted',
}

/** What waiting changes of one message or chat do. */
export function describeOwed(what: readonly OwedWhat[]): string {
  return what.map((each) => words[each]).join(' · ')
}
