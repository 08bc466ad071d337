import { expect, test } from 'vitest'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import {
  canReact,
  isEditable,
  listMessageActions,
  type MessageMenuHandlers,
} from './list-message-actions.ts'

const ann = '00000000-0000-7000-8000-00000000000a'
const ben = '00000000-0000-7000-8000-00000000000b'
const nothing = () => {}
const on: MessageMenuHandlers = {
  reply: nothing,
  replyInPrivate: nothing,
  copy: nothing,
  forward: nothing,
  toggleSelected: nothing,
  edit: nothing,
  setStarred: nothing,
  showInformation: nothing,
  remove: nothing,
  hide: nothing,
  goToMessage: nothing,
}

function write(change: Partial<MessageDocument>, isOwn: boolean): MessageDocument {
  return messageDocument.parse({
    _id: '00000000-0000-7000-8000-000000000001',
    peerId: ben,
    senderId: isOwn ? ann : ben,
    recipientId: isOwn ? ben : ann,
    createdAt: 1,
    orderedAt: 1,
    status: 'sent',
    content: 'hello',
    ...change,
  })
}

function labels(change: Partial<MessageDocument>, isOwn: boolean, isInGroup = false): string[] {
  const message = write(change, isOwn)
  return listMessageActions({ message, isOwn, isInGroup, on }).map((action) => action.label)
}

test('Edit and Delete are offered on own messages only', () => {
  expect(labels({}, true)).toEqual(
    expect.arrayContaining(['Reply', 'Copy', 'Forward', 'Select', 'Edit', 'Delete']),
  )
  const theirs = labels({}, false)
  expect(theirs).toEqual(expect.arrayContaining(['Reply', 'Copy', 'Forward', 'Select']))
  expect(theirs).not.toContain('Edit')
  expect(theirs).not.toContain('Delete')
  expect(theirs).toContain('Delete for me')
})

test('a message that never left is discarded, not deleted', () => {
  expect(labels({ status: 'sending' }, true)).toContain('Discard')
})

test('whoever is in the group no more can change nothing for others in it', () => {
  const message = messageDocument.parse({
    _id: '00000000-0000-7000-8000-000000000001',
    peerId: ben,
    senderId: ann,
    recipientId: ben,
    createdAt: 1,
    orderedAt: 1,
    status: 'sent',
    content: 'hello',
  })
  const list = (isOver: boolean) =>
    listMessageActions({ message, isOwn: true, isOver, on }).map((action) => action.label)
  expect(list(false)).toContain('Edit')
  expect(list(true)).not.toContain('Edit')
  expect(list(true)).toContain('Copy')
})

test('what became of a group can neither be edited nor reacted to', () => {
  const written = messageDocument.parse({
    _id: '00000000-0000-7000-8000-000000000001',
    peerId: ben,
    senderId: ann,
    recipientId: ben,
    createdAt: 1,
    orderedAt: 1,
    status: 'sent',
  })
  const line = { ...written, line: { change: { kind: 'leave' }, userIds: [ann] } }
  expect([isEditable(written), canReact(written)]).toEqual([true, true])
  expect([isEditable(line), canReact(line)]).toEqual([false, false])
})

test('a deleted message can only be selected, or taken off the own devices', () => {
  expect(labels({ deletedAt: 2 }, true)).toEqual(['Select', 'Delete for me'])
})

test('a file is forwarded once it is uploaded, and a message that says nothing is not', () => {
  const file = { name: 'harbour.jpg', size: 9, mimeType: 'image/jpeg' }
  const photo = { type: 'image', file } as const
  expect(labels({ ...photo, mediaUrl: '/api/media/1' }, false)).toContain('Forward')
  expect(labels({ ...photo, content: 'the harbour' }, true)).not.toContain('Forward')
  expect(labels({ content: '' }, false)).not.toContain('Forward')
})

test('a reply links to the message it answers', () => {
  const quoted = '00000000-0000-7000-8000-000000000002'
  expect(labels({ replyTo: quoted }, false)).toContain('Go to the quoted message')
  expect(labels({}, false)).not.toContain('Go to the quoted message')
})

test('what others say in a group can be answered in private, one’s own words and a single person’s not', () => {
  const item = 'Reply in private'
  expect(labels({}, false, true)).toContain(item)
  expect(labels({}, true, true)).not.toContain(item)
  expect(labels({}, false)).not.toContain(item)
  expect(labels({ content: '', deletedAt: 1 }, false, true)).not.toContain(item)
  const sealed = { ...write({ content: '' }, false), locked: 'key' }
  const unopened = listMessageActions({ message: sealed, isOwn: false, isInGroup: true, on })
  expect(unopened.map(({ label }) => label)).not.toContain(item)
})
